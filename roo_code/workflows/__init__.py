"""Workflows: phases of subtasks, run as tasks that start tasks."""
