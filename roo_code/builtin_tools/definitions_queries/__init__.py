"""What a definition looks like in each language: queries for tree-sitter."""
