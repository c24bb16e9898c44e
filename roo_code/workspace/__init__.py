"""A folder the agent may work in: safe paths, careful reads and writes."""
