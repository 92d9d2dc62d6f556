# SPDX-License-Identifier: MIT OR Apache-2.0
"""A log's boots as Arrow tables."""

import os
from typing import Any

from ._bootline import StoreReader, Table

__all__ = ["Table", "tables"]


def tables(path: str | os.PathLike[str], content: bytes | None = None, **options: Any) -> dict[str, Table]:
    """The tables `boots`, `spans`, `findings`, `measures`, `rollups`, `builds` and `files` of docs/store.md, for one input.

    Everything that takes Arrow by the PyCapsule interface takes them, without a copy: `pandas.DataFrame.from_arrow`, `polars.DataFrame`,
    `duckdb`, `pyarrow.table`. The options are those of `bootline.store.StoreReader`.

    >>> found = tables("corpus/x86-6.18-rt-9600-initcall/boot.cap", board="qemu")
    >>> import polars
    >>> polars.DataFrame(found["spans"]).filter(kind="initcall")["board"].unique().to_list()
    ['qemu']
    """
    return StoreReader(**options).read(os.fspath(path), content)
