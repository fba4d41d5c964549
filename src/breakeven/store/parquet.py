"""Columns as a Parquet file."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from breakeven._installed import pip_line
from breakeven.errors import InputError


def encoded(
    columns: Mapping[str, Sequence[object]],
    about: Mapping[str, str],
    *,
    numbers: Sequence[str] = (),
    whole: Sequence[str] = (),
    flags: Sequence[str] = (),
) -> bytes:
    """Return columns as a Parquet file; None is null.

    Parameters
    ----------
    numbers, whole, flags : sequence of str
        Columns of float, int and bool; the others are text.
    about : mapping
        Key-value metadata of the file.

    Raises
    ------
    InputError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, loaded only when it is wanted
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise InputError(f"a Parquet file needs pyarrow ({error})", pip_line("parquet")) from error
    kinds = dict.fromkeys(numbers, pa.float64())
    kinds |= dict.fromkeys(whole, pa.int64()) | dict.fromkeys(flags, pa.bool_())
    made = {n: pa.array(values, kinds.get(n, pa.string())) for n, values in columns.items()}
    out = io.BytesIO()
    pq.write_table(pa.table(made).replace_schema_metadata(dict(about)), out, compression="zstd")
    return out.getvalue()
