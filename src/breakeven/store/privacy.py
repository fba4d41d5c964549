"""Names of the host, the user and the home folder kept out of what is stored."""

from __future__ import annotations

import getpass
import platform
import re
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from breakeven.model.event import (
    BackendSeen,
    Began,
    CaseSet,
    CeilingsDone,
    Event,
    PortSeen,
    Remark,
    Sensed,
    Studied,
    TeamDone,
)

Value = TypeVar("Value")
_SHORTEST_NAME = 3
# Of these, a path says nothing about a person or a machine.
_EVERYONES = frozenset({"root", "user", "localhost"})


class Privacy:
    """What to take out of texts before they are stored: the home folder becomes ``~``.

    The user's name goes where it is a part of a path; the host's name there and in ``user@host``,
    and anywhere in a sentence when it can be nothing else (``node-17.lab``). Identifiers, which
    have neither a space nor a slash, are left alone.

    Parameters
    ----------
    home, user, host : str
        Empty where unknown; nothing is then taken out for it.
    """

    def __init__(self, home: str, user: str, host: str) -> None:
        rules: list[tuple[str, str]] = []
        folder = re.escape(home.rstrip("/\\"))
        if folder:
            # "/home/al" must be found in "-I /home/al/x", yet not in "/home/alice".
            rules.append((rf"(?<![\w.-]){folder}(?![\w-]|\.\w)", "~"))
        for name, instead in ((user, "USER"), (host, "HOST")):
            word = re.escape(name)
            if name and name not in _EVERYONES:
                rules.append((rf"\b{word}(?=@)|(?<=@){word}\b", instead))
            if len(name) >= _SHORTEST_NAME and name not in _EVERYONES:
                rules.append((rf"(?<=[/\\]){word}(?![\w-]|\.\w)", instead))
        if re.fullmatch(r"(?=.*[a-z])(?=.*[0-9.]).{6,}", host, re.IGNORECASE):
            rules.append((rf"(?<![\w.-]){re.escape(host)}(?![\w-])", "HOST"))
        self._rules = [(re.compile(pattern), instead) for pattern, instead in rules]

    def text(self, text: str) -> str:
        """Return `text` without the names."""
        if " " in text or "/" in text or "\\" in text or "@" in text:
            for pattern, instead in self._rules:
                text = pattern.sub(instead, text)
        return text

    def clean(self, value: Value) -> Value:
        """Return a record (or any part of one) with every text in it cleaned."""
        cleaned: Value = self._clean(value)
        return cleaned

    def event(self, event: Event) -> Event:
        """Return an event with its free texts cleaned; what identifies a case stays."""
        match event:
            case Began() | BackendSeen() | CeilingsDone() | Remark():
                return self.clean(event)
            case Studied() | TeamDone() | Sensed() | PortSeen():
                return self.clean(event)
            case CaseSet(why=str(why)):
                return msgspec.structs.replace(event, why=self.text(why))
            case _:
                return event

    def _clean(self, value: Any) -> Any:  # noqa: ANN401 - any part of a record
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, tuple):
            return tuple([self._clean(each) for each in value])
        if isinstance(value, dict):
            return {self._clean(key): self._clean(each) for key, each in value.items()}
        if isinstance(value, msgspec.Struct):
            return self._clean_struct(value)
        return value

    def _clean_struct(self, value: msgspec.Struct) -> msgspec.Struct:
        changed = {}
        for name in value.__struct_fields__:
            before = getattr(value, name)
            if isinstance(before, str | tuple | dict | msgspec.Struct):
                after = self._clean(before)
                if after != before:
                    changed[name] = after
        return msgspec.structs.replace(value, **changed) if changed else value


@cache
def here() -> Privacy:
    """Return what to take out on this machine for this user."""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a user id that has no name.
        user = ""
    return Privacy(home, user, platform.node())
