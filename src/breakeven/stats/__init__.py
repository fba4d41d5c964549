"""Pure numbers: intervals and agreement."""
