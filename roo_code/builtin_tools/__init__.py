"""The tools every agent has, one file each, and the care they are run with."""
