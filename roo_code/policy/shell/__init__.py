"""What a shell line would run, and whether it may."""
