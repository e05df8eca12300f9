"""The front ends, for tests with one body over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fronts import FRONTS, Front, only_library
from support.optional import optional


@pytest.fixture(params=list(FRONTS))
def front(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Front]:
    label: str = request.param
    with pytest.MonkeyPatch.context() as patch:
        if label.startswith("parquet by "):
            library = label.removeprefix("parquet by ")
            optional(library)
            only_library(patch, library)
        yield Front(label, tmp_path)
