"""Traces of one case; built by a later step of the plan."""
