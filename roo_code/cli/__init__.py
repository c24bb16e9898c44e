"""The `roo` command: it composes everything and translates between a terminal and tasks."""
