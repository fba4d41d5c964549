"""How remarks begin that the screen tells whatever else was remarked."""

from __future__ import annotations

RUN_TOOK = "the run took"
ROUNDS_TOOK = "the rounds took"
SAMPLER = "sensors were not read to the end"
DAMAGED = "a recording lies beside this run, and is damaged"

ALWAYS_TOLD = (RUN_TOOK, ROUNDS_TOOK, SAMPLER, DAMAGED)
