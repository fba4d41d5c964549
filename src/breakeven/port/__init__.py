"""The user's NumPy code on another library; built by a later step of the plan."""
