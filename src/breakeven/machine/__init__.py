"""Facts about this computer, and nothing else."""
