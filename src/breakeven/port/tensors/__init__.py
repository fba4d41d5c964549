"""NumPy's arrays and functions, made of PyTorch's tensors and functions."""
