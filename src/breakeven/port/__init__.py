"""The user's NumPy code, unmodified, on another array library."""
