"""Readings of the machine while it works."""
