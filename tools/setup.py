"""Makes the environment that `make` works in, once; a second start finds it ready.

Standard library only. The syntax is older than the Python that Breakeven needs, so that an old
Python can say so instead of stumbling over it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def main(arguments: list[str] | None = None) -> int:
    """Make or complete the environment; return 0 when it is ready, 2 when the user must act."""
    if sys.version_info[:2] < OLDEST:
        return fail(too_old())
    options = parser().parse_args(arguments)

    # Later imports cost time that a second start need not spend.
    from setup_stamp import is_ready, key_of, maker_of  # noqa: PLC0415

    maker = maker_of(options.venv, Path(sys.prefix))
    if maker is not None and maker != sys.executable:
        words = sys.argv[1:] if arguments is None else arguments
        return subprocess.call([maker, str(Path(__file__).resolve()), *words])
    key = key_of(ROOT, options.torch)
    if not options.plan and is_ready(options.venv, key, dev=options.dev):
        return 0
    from setup_facts import gather  # noqa: PLC0415
    from setup_plan import make_plan, read_project  # noqa: PLC0415
    from setup_venv import SetupError, build  # noqa: PLC0415

    plan = make_plan(read_project(ROOT), gather(options.venv), torch=options.torch, dev=options.dev)
    if plan.blocked:
        return fail(plan.blocked)
    say(plan.summary(options.venv))
    try:
        if not options.plan:
            confirm(asks=plan.asks)
            build(ROOT, options.venv, plan, key, dev=options.dev)
    except SetupError as error:
        return fail(str(error))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the options of this script."""
    made = argparse.ArgumentParser(prog="setup.py", description=__doc__.splitlines()[0])
    made.add_argument("--venv", type=Path, default=ROOT / ".venv", help="the environment's folder")
    made.add_argument("--dev", action="store_true", help="with the tools of the gate")
    made.add_argument("--plan", action="store_true", help="say what would be done, do nothing")
    made.add_argument("--torch", default="", help="a requirement or a wheel to install as PyTorch")
    return made


def too_old() -> str:
    """Return one line that says which Python is needed, with one that is here if there is one."""
    names = (f"python3.{minor}" for minor in range(20, 10, -1))
    newer = next((name for name in names if shutil.which(name)), None)
    advice = f"try: make run PYTHON={newer}" if newer else "install one, then name it: PYTHON=..."
    here = "{}.{}".format(*sys.version_info[:2])
    return f"Breakeven needs Python 3.11 or later; {sys.executable} is {here}; {advice}"


def interactive() -> bool:
    """Tell whether somebody is there to answer."""
    return (
        sys.stdin is not None
        and sys.stdin.isatty()
        and sys.stdout.isatty()
        and not os.environ.get("CI")
    )


def confirm(*, asks: bool) -> None:
    """Let a person stop before a big download; Enter goes on."""
    from setup_venv import SetupError  # noqa: PLC0415  not needed by a second start

    if not asks or not interactive():
        return
    try:
        agreed = input("Go on? [Y/n] ").strip().lower() in {"", "y", "yes"}
    except (EOFError, KeyboardInterrupt):
        agreed = False
    if not agreed:
        raise SetupError("nothing was installed")


def say(text: str) -> None:
    """Print at once, before pip prints anything."""
    print(text, flush=True)


def fail(text: str) -> int:
    """Print why there is no environment; return the exit code for it."""
    print("setup: " + text, file=sys.stderr, flush=True)
    return 2


if __name__ == "__main__":
    sys.exit(main())
