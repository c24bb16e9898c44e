"""What the editing tools share: opening and saving, finding text, splicing lines."""
