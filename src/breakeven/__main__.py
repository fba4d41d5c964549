"""``python -m breakeven``."""

from __future__ import annotations

from breakeven.cli.main import main

if __name__ == "__main__":
    main()
