"""The front door: it joins the layers below, and is all that the command line and Python call."""

from breakeven.engine.compare_request import CompareOptions
from breakeven.engine.request import Options
from breakeven.engine.training_request import TrainingOptions
from breakeven.lab.block import Watch, watch
from breakeven.lab.comparing import compare, measure, start_compare
from breakeven.lab.computer import Examined, doctor, examined, read_machine
from breakeven.lab.controls import entry_of, measure_entries
from breakeven.lab.costing import cost_text
from breakeven.lab.differing import diff, diff_text
from breakeven.lab.lineup import SelfTestOptions
from breakeven.lab.measuring import cost_sentence, resume_run, run, start_run
from breakeven.lab.proving import start_selftest
from breakeven.lab.reach import ceiling_lines, measure_ceilings, stored_ceilings
from breakeven.lab.result import Result
from breakeven.lab.shelf import judged, last_measured, load, load_result, stored_runs
from breakeven.lab.showing import (
    drawing,
    parquet_of,
    report_html,
    selftest_json,
    selftest_text,
    show,
    text_of,
)
from breakeven.lab.timelines import (
    check_timeline,
    traces_beside,
    write_tensorboard,
    write_timeline,
)
from breakeven.lab.watching import WatchedCommand, WatchOptions, watch_command
from breakeven.model.machine import Ceilings

__all__ = [
    "Ceilings",
    "CompareOptions",
    "Examined",
    "Options",
    "Result",
    "SelfTestOptions",
    "TrainingOptions",
    "Watch",
    "WatchOptions",
    "WatchedCommand",
    "ceiling_lines",
    "check_timeline",
    "compare",
    "cost_sentence",
    "cost_text",
    "diff",
    "diff_text",
    "doctor",
    "drawing",
    "entry_of",
    "examined",
    "judged",
    "last_measured",
    "load",
    "load_result",
    "measure",
    "measure_ceilings",
    "measure_entries",
    "parquet_of",
    "read_machine",
    "report_html",
    "resume_run",
    "run",
    "selftest_json",
    "selftest_text",
    "show",
    "start_compare",
    "start_run",
    "start_selftest",
    "stored_ceilings",
    "stored_runs",
    "text_of",
    "traces_beside",
    "watch",
    "watch_command",
    "write_tensorboard",
    "write_timeline",
]
