"""Where work runs: one framework each behind one seam."""
