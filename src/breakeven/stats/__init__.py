"""Pure numbers: intervals, resampling, agreement of answers."""
