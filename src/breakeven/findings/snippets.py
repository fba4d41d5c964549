"""The user's line, mended: for faults whose mending fits in that line."""

from __future__ import annotations

import re
from collections.abc import Callable

Mend = Callable[[str], str | None]

_ITEM = re.compile(r"\.item\(\)")
_FLOAT = re.compile(r"\b(?:float|int)\(([\w.\[\]]+)\)")
_MOVED = re.compile(
    r"torch\.(randn|rand|zeros|ones|empty|full|arange|linspace|eye|randint|tensor)"
    r"\(((?:[^()]|\([^()]*\))*)\)\.(?:to\((['\"]?[\w:.]+['\"]?)\)|(cuda)\(\))"
)
_AS_CUPY = re.compile(r"cp\.asarray\(np\.(zeros|ones|empty|full|arange|linspace|eye)\(")
_LOADER = re.compile(r"(DataLoader\()(.*)(\))(\s*:)?$")
_RUNNING = re.compile(r"(=\s*\w+\s*\+\s*)(\w+)\s*$|(\+=\s*)(\w+)\s*$")
_MASK = re.compile(r"^(\w+)\s*=\s*(\w+)\[(.+[<>]=?.+|.+[=!]=.+)\]$")
_TRUE = re.compile(r"=\s*True\b")
_LOOP_SOLVE = re.compile(
    r"\[(torch\.linalg\.\w+)\((\w+)\[(\w+)\](?:,\s*(\w+)\[\3\])?\) for \3 in range\(.+\)\]"
)
_PARALLEL = re.compile(r"(?:torch\.)?(?:nn\.)?DataParallel\((\w+)(?:,[^)]*)?\)")


def mended(code: str, text: str) -> str | None:
    """Return a line with the fault of that code mended; None where no line can be written.

    Parameters
    ----------
    text : str
        The user's line, without its indentation.
    """
    mend = _MENDS.get(code)
    if mend is None:
        return None
    made = mend(text.strip())
    return None if made is None or made == text.strip() else made


def _deferred(text: str) -> str | None:
    if _ITEM.search(text):
        return _ITEM.sub(".detach()", text)
    return _FLOAT.sub(r"\1.detach()", text) if "append(" in text else None


def _on_device(text: str) -> str | None:
    def there(found: re.Match[str]) -> str:
        device = found[3] or '"cuda"'
        inner = found[2].strip()
        return f"torch.{found[1]}({inner}{', ' if inner else ''}device={device})"

    made = _MOVED.sub(there, text)
    if made != text:
        return made
    return (
        re.sub(_AS_CUPY, r"cp.\1(", text).replace("))", ")", 1) if _AS_CUPY.search(text) else None
    )


def _workers(text: str) -> str | None:
    found = re.search(r"DataLoader\(", text)
    if found is None:
        return None
    end = _closing(text, found.end())
    if end is None:
        return None
    inner = re.sub(r",?\s*num_workers\s*=\s*0", "", text[found.end() : end]).rstrip(", ")
    if "num_workers" in inner:
        return None
    more = "num_workers=4, persistent_workers=True"
    return f"{text[: found.end()]}{inner}{', ' if inner else ''}{more}{text[end:]}"


def _closing(text: str, begin: int) -> int | None:
    """Return where the bracket closes that opened just before `begin`."""
    depth = 1
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


def _detached(text: str) -> str | None:
    found = _RUNNING.search(text)
    if found is None:
        return f"{text[:-1]}.detach())" if re.search(r"append\(\w+\)$", text) else None
    name = found[2] or found[4]
    return f"{text[: found.start()]}{found[1] or found[3]}{name}.detach()"


def _masked(text: str) -> str | None:
    found = _MASK.match(text)
    if found is None:
        return None
    name, array, mask = found[1], found[2], found[3]
    return f"m = {mask}; {name} = {array} * m  # sums over m.sum() in place of the number"


def _batched(text: str) -> str | None:
    def whole(found: re.Match[str]) -> str:
        return f"{found[1]}({found[2]}{', ' + found[4] if found[4] else ''})"

    return _LOOP_SOLVE.sub(whole, text)


def _off(text: str) -> str | None:
    return _TRUE.sub("= False", text)


def _exact(text: str) -> str | None:
    made = re.sub(r"(set_float32_matmul_precision\()['\"]\w+['\"]", r'\1"highest"', text)
    return made if made != text else _off(text)


def _in_half_the_bits(text: str) -> str | None:
    if "float64" in text:
        return text.replace("float64", "float32")
    if ".double()" in text:
        return text.replace(".double()", ".float()")
    made = re.sub(
        r"(rng\.(?:standard_normal|random)\()((?:[^()]|\([^()]*\))*)\)",
        r"\1\2, dtype=np.float32)",
        text,
    )
    return made if made != text else re.sub(r"(torch\.from_numpy\(\w+\))", r"\1.float()", text)


def _distributed(text: str) -> str | None:
    return _PARALLEL.sub(r"DistributedDataParallel(\1, device_ids=[rank])", text)


def _pinned(text: str) -> str | None:
    found = re.search(r"torch\.(?:randn|rand|zeros|empty|ones)\(", text)
    if found is None or "pin_memory" in text:
        return None
    end = _closing(text, found.end())
    return None if end is None else f"{text[:end]}, pin_memory=True{text[end:]}"


def _gone(text: str) -> str | None:
    return f"# {text}" if re.search(r"empty_cache|free_all_blocks", text) else None


_MENDS: dict[str, Mend] = {
    "BE201": _workers,
    "BE205": _pinned,
    "BE208": _on_device,
    "BE301": _deferred,
    "BE302": _masked,
    "BE306": _batched,
    "BE309": _off,
    "BE401": _in_half_the_bits,
    "BE404": _exact,
    "BE503": _detached,
    "BE504": _gone,
    "BE601": _distributed,
}
