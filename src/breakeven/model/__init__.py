"""Frozen records that every layer speaks: they validate, and do nothing else."""
