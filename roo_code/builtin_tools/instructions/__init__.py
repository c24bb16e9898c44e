"""Instructions for kinds of tasks, one Markdown file each."""
