"""Who drives tasks, and where."""
