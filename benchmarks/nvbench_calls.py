"""Runs torch calls under NVBench in this process: ``nvbench_calls.py FILE.json CASE...``."""

from __future__ import annotations

import sys
from typing import Any

from gpu_calls import torch_calls

# Small kernels run before the clock has risen: NVBench would throw all of their samples away.
THROTTLE, TIMEOUT_S = 0.25, 5.0


def main(path: str, cases: list[str]) -> None:
    """Run all cases; NVBench writes the file itself."""
    import torch
    from cuda import bench  # noqa: PLC0415  likewise

    torch.set_float32_matmul_precision("highest")
    calls = torch_calls(torch)

    def timed(state: Any) -> None:  # noqa: ANN401  cuda.bench.State
        state.set_throttle_threshold(THROTTLE)
        call = calls[state.get_string("Case")]()
        stream = torch.cuda.ExternalStream(state.get_stream().addressof())
        # What a library takes for a new stream is taken before the stream is held.
        with torch.cuda.stream(stream):
            call()
        torch.cuda.synchronize()

        def launch(_launch: Any) -> None:  # noqa: ANN401  cuda.bench.Launch
            with torch.cuda.stream(stream):
                call()

        state.exec(launch)

    found = bench.register(timed)
    found.set_name("calls")
    found.add_string_axis("Case", cases)
    found.set_timeout(TIMEOUT_S)
    bench.run_all_benchmarks([sys.argv[0], "--json", path])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
