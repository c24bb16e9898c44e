"""Roo's socket protocol: other programs start, steer and watch tasks as they do with Roo."""
