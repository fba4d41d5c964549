"""The user's line, mended."""

from __future__ import annotations

import pytest

from breakeven.findings.snippets import mended


@pytest.mark.parametrize(
    ("code", "line", "better"),
    [
        ("BE301", "curve.append(loss.item())", "curve.append(loss.detach())"),
        ("BE301", "    total += hits.sum().item()", "total += hits.sum().detach()"),
        ("BE208", 'torch.randn(shape).to("cuda")', 'torch.randn(shape, device="cuda")'),
        ("BE208", "n = torch.zeros(2, 3).cuda()", 'n = torch.zeros(2, 3, device="cuda")'),
        ("BE208", "x = cp.asarray(np.zeros((3, n)))", "x = cp.zeros((3, n))"),
        ("BE201", "for x, y in DataLoader(Pictures(), batch_size=32):",
         ("for x, y in DataLoader(Pictures(), batch_size=32, num_workers=4, "
         "persistent_workers=True):")),
        ("BE201", "loader = DataLoader(data, num_workers=0)",
         "loader = DataLoader(data, num_workers=4, persistent_workers=True)"),
        ("BE205", "b = [torch.randn(4, 4) for _ in r]", ("b = [torch.randn(4, 4, pin_memory=True) "
         "for _ in r]")),
        ("BE306", "xs = [torch.linalg.solve(ad[i], bd[i]) for i in range(len(ad))]",
         "xs = torch.linalg.solve(ad, bd)"),
        ("BE309", "torch.backends.cudnn.benchmark = True",
         "torch.backends.cudnn.benchmark = False"),
        ("BE404", "torch.set_float32_matmul_precision('high')",
         'torch.set_float32_matmul_precision("highest")'),
        ("BE401", "z = torch.from_numpy(rng.standard_normal((paths, steps))).to(device)",
         "z = torch.from_numpy(rng.standard_normal((paths, steps), dtype=np.float32)).to(device)"),
        ("BE503", "running = running + loss", "running = running + loss.detach()"),
        ("BE503", "total += loss", "total += loss.detach()"),
        ("BE503", "losses.append(loss)", "losses.append(loss.detach())"),
        ("BE601", "net = nn.DataParallel(net)",
         "net = DistributedDataParallel(net, device_ids=[rank])"),
    ],
)  # fmt: skip
def test_a_line_is_mended(code: str, line: str, better: str) -> None:
    """The line does the same without the fault."""
    assert mended(code, line) == better


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("BE301", "print(loss)"),
        ("BE208", "x = x.to(device)"),
        ("BE201", "loader = DataLoader(data, num_workers=8)"),
        ("BE205", "b = torch.randn(4, pin_memory=True)"),
        ("BE503", "running = running + loss.item()"),
        ("BE101", "stop = time.perf_counter()"),
    ],
)
def test_no_line_is_made_up(code: str, line: str) -> None:
    """Where the mending does not fit in the line, none is shown."""
    assert mended(code, line) is None
