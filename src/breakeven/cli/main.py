"""The command ``breakeven``: a group whose subcommands are loaded when they are called."""

from __future__ import annotations

import errno
import importlib
import sys
from typing import Any

import click

from breakeven._version import __version__
from breakeven.cli import streams
from breakeven.errors import BreakevenError

COMMANDS = {
    "run": "Measure workloads: does a GPU pay, from where on, with which library?",
    "compare": "Set your own NumPy function beside itself on other libraries.",
    "watch": "Run any command under the sensors: CPU, memory, GPU, power, energy.",
    "report": "Make a stored run's report again: HTML, text, picture.",
    "runs": "List the stored runs.",
    "diff": "Say what changed between two stored runs: faster, slower or the same.",
    "doctor": "Say what this machine has, what works, and how to mend what does not.",
    "selftest": "Try this machine on work whose answer is known: may it be believed?",
}
INTERRUPTED, INTERNAL = 130, 4


class _Lazy(click.Group):
    """A group that imports a subcommand's file only to run it or to print its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their use."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a subcommand."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"breakeven.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="breakeven")
def cli() -> None:
    """Say whether a GPU pays for Python code, from where on, and with which library.

    Start with `breakeven run`: it measures matrix products and the training of a small network
    on every library that works here, and says so in a sentence, a table and a report.

    Exit codes: 0 something was measured or shown, 1 a check failed, 2 the input is wrong,
    3 nothing could be measured, 4 internal error, 130 interrupted (what was finished is stored).
    """


def _one_line(error: click.ClickException) -> str:
    """Return what is wrong with a command line, with where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "breakeven"
    what = " ".join(error.format_message().split()).rstrip(".")
    return f"{what}; {path} --help says more"


def main() -> None:
    """Run the command line; every error that is ours is one line."""
    streams.open_closed()
    try:
        code: Any = cli.main(prog_name="breakeven", standalone_mode=False)
    except click.exceptions.Exit as end:
        code = end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        code = _ended(_one_line(error), error.exit_code)
    except BreakevenError as error:
        code = _ended(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        code = _ended("interrupted", INTERRUPTED)
    except (SystemExit, BrokenPipeError):
        # The reader of a pipe has gone, as `| head` does: nothing is wrong. Click and rich exit.
        code = 0
    except OSError as error:
        code = _refused(error)
    except Exception:  # noqa: BLE001  the last line of defence: it says how to report
        code = _fault()
    sys.exit(_all_out(code if isinstance(code, int) else 0))


def _all_out(code: int) -> int:
    """Write what still waits; return the exit code, which tells where that is refused."""
    error = streams.flush()
    return code if code or error is None or error.errno == errno.EPIPE else _refused(error)


def _ended(why: str, code: int) -> int:
    """Say in one line why a command ended; return its exit code."""
    streams.say("breakeven: " + " ".join(why.splitlines()))
    return code


def _refused(error: OSError) -> int:
    known = streams.refusal(error)
    return _fault() if known is None else _ended(*known)


def _fault() -> int:
    import traceback

    streams.say(traceback.format_exc().rstrip())
    return _ended(
        "this is a fault of breakeven, not yours; please report the lines above with the output "
        "of `breakeven doctor`",
        INTERNAL,
    )
