"""Training and inference with PyTorch: models, data, the step, and several processes.

PyTorch is imported inside functions, in the process that computes: the rest of the package can be
used without it.
"""
