"""Running programs so that they reach only what they were given."""
