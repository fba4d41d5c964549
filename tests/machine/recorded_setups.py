"""Recordings of set-ups, each a healthy one with what differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from breakeven.model.setup import MachineFacts

FOLDER = Path(__file__).parent / "recordings"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """A set-up with what must be found in it: codes, the command of each, words that are said."""

    source: str
    facts: dict[str, Any]
    findings: list[str]
    commands: dict[str, str | None]
    base: str | None = None
    says: list[str] = []


def recording(name: str) -> Recording:
    """Return one recording as it stands."""
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Recording)


def facts_of(name: str) -> MachineFacts:
    """Return the facts of a recording, laid over those that it differs from."""
    kept = recording(name)
    whole = kept.facts if kept.base is None else laid(recording(kept.base).facts, kept.facts)
    return msgspec.json.decode(json.dumps(whole), type=MachineFacts)


def laid(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return `under` with the values of `over`; a null takes a distribution away."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = laid(below, value) if isinstance(value, dict) and below else value
    if "distributions" in merged:
        merged["distributions"] = {k: v for k, v in merged["distributions"].items() if v}
    return merged
