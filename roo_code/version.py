"""The version, as a literal: reading package metadata would cost more than the whole start."""

VERSION = "0.1.0"
