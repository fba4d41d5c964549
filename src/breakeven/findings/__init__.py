"""What stands in the way of speed; built by a later step of the plan."""
