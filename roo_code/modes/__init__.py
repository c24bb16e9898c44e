"""Modes: who the model is to be, and what it may do; see `agent.py`."""
