"""Measurements against peers and floors: every ratio comes from one run on one machine."""
