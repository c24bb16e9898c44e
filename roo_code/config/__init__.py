"""Settings: what the user chose, typed."""
