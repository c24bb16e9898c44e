"""Names that models invent for tools, and the tools they mean."""

TOOL_ALIASES: dict[str, str] = {
    "read_directory": "list_files",
    "read_dir": "list_files",
    "list_dir": "list_files",
}
