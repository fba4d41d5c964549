"""How many functions of public NumPy code run fully on another library, with right answers?

``python benchmarks/ported_public.py`` takes the functions of benchmarks/public_functions, each
rewritten from what public code by others does, and runs each unmodified on every library that
works here, under ``strict``: a fresh process a library, the function's first call checked against
NumPy's answer as ``breakeven compare`` does. Nothing is timed. ``--sizes 64,512`` names n;
``--policy bridge`` lets NumPy do what a library lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import results_file
from breakeven.backends import registry
from breakeven.backends.base import Backend, Opening
from breakeven.engine.function_bench import FunctionBench
from breakeven.engine.messages import SetUp
from breakeven.model.ported import FunctionSpec, Policy, PortFailure
from breakeven.workloads.function.failed import FunctionFailedError
from breakeven.workloads.function.workload import FunctionWorkload

FOLDER = Path(__file__).parent / "public_functions"
ROW, CLAIM = "ported_public", "functions of public code run unmodified on other libraries"
TARGET = "no silent wrong answer; every failure has its category"
LIBRARIES, SEED = ("torch-cpu", "cupy", "torch-cuda"), 42


def functions() -> dict[str, dict[str, str]]:
    """Return source and inputs of each function, by ``module.name``."""
    found = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    return {f"{m}.{name}": about for m, each in found.items() for name, about in each.items()}


def tried(library: str, names: list[str], size: int, policy: Policy) -> list[dict[str, Any]]:
    """Run functions on one library in this process; return a row for each."""
    backend = registry.get(library, SEED, "float32")
    opening = backend.open()
    return [
        {"function": name, "library": library, "size": size}
        | _one(backend, opening, name, size, policy)
        for name in names
    ]


def _one(
    backend: Backend, opening: Opening, name: str, size: int, policy: Policy
) -> dict[str, Any]:
    module, _, function = name.partition(".")
    spec = FunctionSpec(
        target=f"{FOLDER / module}.py:{function}", inputs=functions()[name]["inputs"], policy=policy
    )
    workload = FunctionWorkload(name, spec, SEED)
    with tempfile.TemporaryDirectory() as folder:
        _, reference = workload.make(size, "float64", SEED)
        for place, (key, array) in enumerate(reference.items()):
            np.save(Path(folder) / f"reference-{place}-{key}.npy", array)
        bench = FunctionBench(backend, opening, spec, "default", SEED)
        try:
            request = SetUp(workload=name, size=size, folder=folder, warm_s=0.0, parts=True)
            ready = bench.set_up(request, workload)
        except FunctionFailedError as error:
            return {"reach": "failed", "failure": _told(error.ported.failure)}
        finally:
            bench.end_case()
    ported, agreement = ready.ported, ready.agreement
    assert ported is not None
    assert agreement is not None
    return {
        "reach": ported.reach if agreement.passed else "wrong",
        "error": agreement.error,
        "class": agreement.class_,
        "failure": None if ported.failure is None else _told(ported.failure),
        "bridged": sum(site.bridged for site in ported.sites),
        "slow": sorted({site.name for site in ported.sites if site.slow}),
        "waits": sum(site.synchronised for site in ported.sites),
        "on": list(ported.answers_on),
    }


def _told(failure: PortFailure | None) -> dict[str, Any]:
    assert failure is not None
    line = None if failure.location is None else failure.location.line
    return {
        "category": failure.category, "name": failure.name, "line": line,
        "message": failure.message.replace(str(FOLDER), "public_functions"),
        "suggestion": failure.suggestion,
    }  # fmt: skip


def apart(library: str, names: list[str], size: int, policy: str) -> list[dict[str, Any]]:
    """Run functions in a process of their own; if it dies, each in one of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        command = [
            sys.executable, __file__, "--library", library, "--sizes", str(size),
            "--policy", policy, "--rows", str(out), "--only", ",".join(names),
        ]  # fmt: skip
        done = subprocess.run(command, check=False, capture_output=True, timeout=600)
        if out.exists():
            rows: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
            return rows
        if len(names) > 1:
            return [row for name in names for row in apart(library, [name], size, policy)]
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    lost = {"category": "crashed", "message": " ".join(said), "name": None, "line": None}
    return [{"function": names[0], "library": library, "size": size, "reach": "failed",
             "failure": lost}]  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """Return a line for each function, a column for each library and size."""
    columns = list(dict.fromkeys((r["library"], r["size"]) for r in rows))
    lines = ["function".ljust(34) + "".join(f"{f'{lib} {n}':<17}" for lib, n in columns).rstrip()]
    for name in dict.fromkeys(r["function"] for r in rows):
        cells = [next(r for r in rows if (r["function"], r["library"], r["size"]) == (name, *c))
                 for c in columns]  # fmt: skip
        lines.append((name.ljust(34) + "".join(f"{c['reach']:<17}" for c in cells)).rstrip())
    for library, size in columns:
        mine = [r for r in rows if (r["library"], r["size"]) == (library, size)]
        fully = sum(r["reach"] == "fully" for r in mine)
        lines.append(f"{library}, n = {size}: {fully} of {len(mine)} fully, with right answers")
    for row in rows:
        if row.get("failure") is not None:
            failure = row["failure"]
            lines.append(
                f"{row['function']} on {row['library']}, n = {row['size']}: "
                f"{failure['category']}, line {failure['line']}: {failure['message']}"
            )
    return "\n".join(lines)


def result(rows: list[dict[str, Any]]) -> results_file.Result:
    """Return the row of docs/truth.md: met when nothing crashed without a category."""
    said = []
    for library in dict.fromkeys(r["library"] for r in rows):
        mine = [r for r in rows if r["library"] == library]
        fully = sum(r["reach"] == "fully" for r in mine)
        wrong = sum(r["reach"] == "wrong" for r in mine)
        said.append(f"{library}: {fully} of {len(mine)} fully, {wrong} caught as wrong")
    known = all(r["failure"]["category"] != "crashed" for r in rows if r.get("failure"))
    return results_file.result(
        row=ROW, claim=CLAIM, target=TARGET, figure="; ".join(said), met=known,
        details={"rows": rows},
    )  # fmt: skip


def main() -> None:
    """Run every function on every library, print the table, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="64,512")
    parser.add_argument("--policy", default="strict", choices=["strict", "bridge"])
    parser.add_argument("--only")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    names = asked.only.split(",") if asked.only else list(functions())
    sizes = [int(n) for n in asked.sizes.split(",")]
    if asked.library:
        os.chdir(FOLDER)
        rows = tried(asked.library, names, sizes[0], asked.policy)
        asked.rows.write_bytes(msgspec.json.encode(rows))
        return
    here = [name for name in LIBRARIES if registry.get(name).find().available]
    rows = [row for lib in here for n in sizes for row in apart(lib, names, n, asked.policy)]
    print(table(rows))
    if asked.policy == "strict" and not asked.only:
        made = result(rows)
        results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
