"""The faults that have a name, one file a family."""
