"""The user's own function as a workload: found, called, ported, and held against NumPy."""
