"""What is asked of a training, answered from its record as figures with intervals."""
