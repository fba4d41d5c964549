"""From a stored run to a page, on screen or as HTML; it formats and never computes."""
