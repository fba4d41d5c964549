"""Traces of a few steps: taken with PyTorch's profiler, read from its file, summed up by us."""
