"""`breakeven watch`: a command as it would run alone, and what was read of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from breakeven.lab import recovering
from breakeven.model.event import Began
from breakeven.report.lines import wrapped
from breakeven.store.folder import Store
from cli.spoken import Speaker
from records import record
from timelines import sensing, timeline

# It ends by a signal alone: the end of its input, which comes with `communicate`, is none.
READY = "import signal; print('ready', flush=True); signal.pause()"
GROWING = """\
import sys
held = bytearray(120 << 20)
held[:] = b"1" * len(held)
print("ready", flush=True)
sys.stdin.readline()
sys.exit(5)
"""


def watch(folder: Path, *words: str, **options: Any) -> subprocess.Popen[str]:  # noqa: ANN401
    """Start `breakeven watch` in a process of its own, its store in `folder`."""
    places = {"BREAKEVEN_STORE": str(folder / "store"), "TMPDIR": str(folder), "COLUMNS": "80"}
    return subprocess.Popen(
        [sys.executable, "-m", "breakeven", "watch", *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=folder, env=dict(os.environ) | places, start_new_session=True, **options,
    )  # fmt: skip


def stored(folder: Path) -> dict[str, Any]:
    """Return the one document of a store."""
    (path,) = (folder / "store").glob("*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str, int]:
    """Return folder, stdout, stderr and exit code of a watch that ran to its end."""
    folder = tmp_path_factory.mktemp("watched")
    process = watch(folder, "--interval", "0.02", "--", sys.executable, "-c", GROWING)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    out, err = process.communicate("go\n", timeout=100)
    return folder, out, err, process.returncode


def test_the_exit_code_is_the_commands(watched: tuple[Path, str, str, int]) -> None:
    """The watch ends as its command did, whose stdout holds nothing of ours."""
    _, out, _, code = watched
    assert (out, code) == ("", 5)


def test_the_first_line_is_the_answer(watched: tuple[Path, str, str, int]) -> None:
    """How long it ran, how it ended, cores, memory, GPU and energy are told first, on stderr."""
    _, _, err, _ = watched
    first = " ".join(err.partition("\n\n")[0].split())
    assert "and ended with exit code 5. It used" in first
    assert "CPU cores and at most" in first
    assert "No GPU was read" in first or "Busy share" in first
    assert "Energy" in first


def test_nothing_printed_is_wider_than_80_columns(watched: tuple[Path, str, str, int]) -> None:
    """Everything that is printed fits 80 columns."""
    assert [line for line in watched[2].splitlines() if len(line) > 80] == []


def test_the_document_holds_what_was_read(watched: tuple[Path, str, str, int]) -> None:
    """The stored run has the command, its end, its readings and the moment that they count from."""
    found = stored(watched[0])
    about = found["sensing"]["watched"]
    assert about["exit_code"] == 5
    assert about["peak_rss_bytes"] > 120 << 20
    by_name = {s["sensor"]: s for s in found["timeline"]}
    assert max(v for v in by_name["tree.rss_bytes"]["value"] if v is not None) > 120 << 20
    assert found["sensing"]["unix_s"] > 1.7e9
    assert found["finished"] is not None
    assert found["spec"]["workloads"] == []


def test_the_watcher_does_not_count_itself(watched: tuple[Path, str, str, int]) -> None:
    """The most that was read is what the command holds and a bare interpreter, nothing beside."""
    by_name = {s["sensor"]: s for s in stored(watched[0])["timeline"]}
    # It holds its bytes thrice while it copies them. A watcher has libraries loaded, and a
    # sampler beside it: tens of MiB more.
    most = max(v for v in by_name["tree.rss_bytes"]["value"] if v is not None)
    assert most < (3 * 120 + 25) << 20


def test_nothing_is_left_in_the_store(watched: tuple[Path, str, str, int]) -> None:
    """Neither journal nor the sampler's file stay once the document is written."""
    folder = watched[0]
    assert [p.suffix for p in (folder / "store").iterdir()] == [".json"]
    assert (folder / "breakeven-watch.html").exists()


def test_the_report_is_the_same_from_the_stored_run(
    watched: tuple[Path, str, str, int], breakeven: Speaker
) -> None:
    """The page that the watch wrote is what its document gives later, byte for byte."""
    (path,) = (watched[0] / "store").glob("*.json")
    assert breakeven("report", path, "--html", "again.html").code == 0
    again = (breakeven.folder / "again.html").read_bytes()
    assert (again == (watched[0] / "breakeven-watch.html").read_bytes()) is True


def test_a_stored_watch_is_written_in_every_form(
    watched: tuple[Path, str, str, int], breakeven: Speaker
) -> None:
    """Text, pictures, tables, a trace and a TensorBoard folder come from the document alone."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("tensorboard")
    (path,) = (watched[0] / "store").glob("*.json")
    for name in ("a.csv", "a.parquet", "a.json", "a.json.gz"):
        assert breakeven("report", path, "--timeline", name).code == 0
        assert (breakeven.folder / name).stat().st_size > 100
    assert breakeven("report", path, "--tensorboard", "board", "--plot", "a.svg").code == 0
    assert [
        p.name.startswith("events.out.tfevents") for p in (breakeven.folder / "board").iterdir()
    ]
    assert "seconds since the start" in (breakeven.folder / "a.svg").read_text()
    assert "# Breakeven" in breakeven("report", path, "--format", "md").out
    assert breakeven("report", path, "--format", "csv").out.startswith("run,sensor,t_s,value")


def test_json_is_alone_on_stdout(tmp_path: Path) -> None:
    """With --json stdout is one document; what the command prints there goes to stderr."""
    process = watch(tmp_path, "--json", "--no-report", "--", "sh", "-c", "echo hello; exit 2")
    out, err = process.communicate(timeout=100)
    assert json.loads(out)["sensing"]["watched"]["exit_code"] == 2
    assert "hello" in err
    assert process.returncode == 2
    assert not (tmp_path / "breakeven-watch.html").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--", "no-such-program-anywhere"], 127, "there is no such command"),
        (["--", "/"], 126, "cannot be started"),
        ([], 2, "Missing argument"),
        (["--interval", "0", "--", "true"], 2, "every 0 s are not possible"),
        (["--report", "no/such/folder.html", "--", "true"], 2, "does not exist"),
        (["--report", "a.html", "--no-report", "--", "true"], 2, "leave one out"),
        (["--store", "/dev/null/store", "--", "true"], 2, "cannot be made"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    breakeven: Speaker, words: list[str], code: int, said: str
) -> None:
    """Before anything runs, a fault is one line with the code that a shell, or we, give it."""
    found = breakeven("watch", *words)
    assert found.code == code
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not list(breakeven.store.glob("*")) if breakeven.store.exists() else True


def test_options_of_the_command_are_its_own(breakeven: Speaker) -> None:
    """What stands after the command belongs to it, with or without the two hyphens."""
    for before in (["--"], []):
        found = breakeven(
            "watch", "--no-report", *before, "sh", "-c", "exit $#", "sh", "--json", "-h"
        )
        assert found.code == 2
        assert found.out == ""


def test_a_signal_is_passed_on(tmp_path: Path) -> None:
    """SIGTERM to the watch ends its command, is told as such, and gives 143."""
    process = watch(tmp_path, "--", sys.executable, "-c", READY)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    _, err = process.communicate(timeout=100)
    assert process.returncode == 128 + signal.SIGTERM
    assert "was ended by SIGTERM" in " ".join(err.split())
    assert stored(tmp_path)["sensing"]["watched"]["signal"] == "SIGTERM"


def test_a_watch_that_is_killed_has_kept_its_readings(tmp_path: Path, breakeven: Speaker) -> None:
    """After SIGKILL the report shows what was read until then, and says that it is not whole."""
    process = watch(tmp_path, "--interval", "0.02", "--", sys.executable, "-c", GROWING)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    place = next((tmp_path / "store").glob(f"*{recovering.SUFFIX}"))
    while (place / "sensors.rec").stat().st_size < 2000:  # it is written at every reading
        pass
    live = breakeven("runs", "--store", tmp_path / "store").out
    process.kill()
    process.wait(60)
    found = breakeven("report", "last", "--store", tmp_path / "store")
    process.communicate(timeout=60)
    said = " ".join(found.out.split())
    assert "still being watched" in " ".join(live.split())
    assert "was watched for" in said
    assert "the watch itself was ended before what it watched" in said
    assert "watched: memory" in said
    listed = " ".join(breakeven("runs", "--store", tmp_path / "store").out.split())
    assert "interrupted" in listed
    assert breakeven("run", "--resume", "last", "--store", tmp_path / "store").code == 2


def test_a_sampler_that_is_killed_costs_the_command_nothing(tmp_path: Path) -> None:
    """Without its sampler a watch ends as its command does, shows what was read, and says so."""
    process = watch(tmp_path, "--interval", "0.02", "--", sys.executable, "-c", GROWING)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (sampler,) = [
        int(pid)
        for pid in children
        if b"sampler_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(sampler, signal.SIGKILL)
    _, err = process.communicate("go\n", timeout=100)
    said = " ".join(err.split())
    assert process.returncode == 5
    assert "ended with exit code 5" in said
    assert "The recording is not whole" in said
    assert stored(tmp_path)["timeline"] != []


def test_the_exit_code_stands_where_nobody_reads(tmp_path: Path) -> None:
    """A closed stderr hides the words, and neither the exit code nor the document."""
    process = watch(tmp_path, "--no-report", "--", sys.executable, "-c", GROWING)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "ready\n"
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.close()
    assert process.wait(100) == 5
    process.stdout.close()
    assert stored(tmp_path)["sensing"]["watched"]["exit_code"] == 5


def test_what_goes_on_behind_is_told(tmp_path: Path) -> None:
    """A command that leaves a process in the background ends, and what it left is named."""
    code = "import os, sys\nif os.fork(): sys.exit(0)\nos.setsid(); os.read(0, 1)"
    process = watch(tmp_path, "--no-report", "--", sys.executable, "-c", code)
    assert process.wait(100) == 0
    _, err = process.communicate("end\n", timeout=100)
    assert "Still running when the command had ended" in " ".join(err.split())


def test_a_full_disk_loses_neither_exit_code_nor_answer(tmp_path: Path) -> None:
    """Where no file may grow, the command still runs, its answer is told, and what was not kept."""
    (tmp_path / "store").mkdir()
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4200, 4200))\n"
        "from breakeven.cli.main import main\n"
        "sys.argv = ['breakeven', 'watch', '--interval', '0.01', '--', *sys.argv[1:]]\n"
        "main()\n"
    )
    work = "import time; end = time.monotonic() + 1\nwhile time.monotonic() < end: pass\nexit(9)"
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-c", work],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
        env=dict(os.environ) | {"BREAKEVEN_STORE": str(tmp_path / "store"), "COLUMNS": "80"},
    )  # fmt: skip
    said = " ".join(done.stderr.split())
    assert done.returncode == 9
    assert "ended with exit code 9" in said
    assert "not everything could be stored" in said
    assert "breakeven-watch.html cannot be written" in said


def test_a_recording_that_is_gone_is_said_plainly(breakeven: Speaker) -> None:
    """A watch of which nothing was kept says so, and is no fault."""
    store = Store(breakeven.store)
    run = msgspec.structs.replace(
        record(rounds=1, slots=1), command=("watch", "--", "true"), cases=(), cold_starts=()
    )
    with store.sink(run.id) as sink:
        sink.append(Began(record=run))
    found = breakeven("report", run.id)
    assert found.code == 0
    assert "Nothing was kept of this watch" in found.out


def test_what_a_trace_and_a_timeline_need_is_told(breakeven: Speaker) -> None:
    """A name without a form, a trace without a timeline and a run without sensors are refused."""
    run = msgspec.structs.replace(record(rounds=1, slots=1), timeline=timeline(), sensing=sensing())
    path = Store(breakeven.store).save(run)
    (breakeven.folder / "t.json").write_text('{"traceEvents": []}')
    for words, said in (
        (["--timeline", "a.txt"], "end its name in one of .csv"),
        (["--trace", "t.json"], "add --timeline FILE.json.gz"),
        (["--timeline", "a.csv", "--trace", "t.json"], "add --timeline FILE.json.gz"),
        (["--timeline", "a.json", "--trace", "t.json"], "does not say at what time of day"),
    ):
        found = breakeven("report", path, *words)
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert said in found.err
    bare = Store(breakeven.store).save(
        msgspec.structs.replace(run, id="2026-12-01T00-00-00-0000", timeline=(), sensing=None)
    )
    assert "no sensor was read" in breakeven("report", bare, "--timeline", "a.csv").err
    assert "nothing over time" in breakeven("report", bare, "--tensorboard", "b").err


def test_lines_fit_whatever_a_command_is_called() -> None:
    """A command with control characters steers no terminal."""
    assert "\x1b" not in "".join(wrapped("ran \x1b[2J", 80))


def test_an_argument_that_is_no_text_is_passed_on_as_it_is(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 reach the command; the document has a replacement in their place."""
    raw = os.fsdecode(b"caf\xe9")
    code = "import os, sys; sys.exit(os.fsencode(sys.argv[1]) != b'caf\\xe9')"
    process = watch(tmp_path, "--no-report", "--", sys.executable, "-c", code, raw)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert stored(tmp_path)["sensing"]["watched"]["command"][-1] == "caf\ufffd"
