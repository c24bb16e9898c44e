"""What a user's words point at, such as `@/notes.md` or `/review`: found, read and shown."""
