"""NumPy's arrays and functions, made of PyTorch's tensors and functions.

An argument that PyTorch has no counterpart of raises `NotImplementedError`, which names function
and argument: under ``strict`` that is a failure of the category ``missing-method-or-argument``, and
under ``bridge`` NumPy does the call.
"""
