"""What may run without a person's word."""
