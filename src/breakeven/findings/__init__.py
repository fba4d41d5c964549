"""What stands in the way of speed, or of a true number, judged from records and from source."""
