"""What a reader says of data that it refuses: a sentence without a row, and the row where somebody asks for it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dpq_core.errors import DataError

ROW = re.compile(r"\brows? [\d,]*\d", re.IGNORECASE)


@contextmanager
def refused(pattern: str) -> Iterator[pytest.ExceptionInfo[DataError]]:
    """The block ends in a DataError that fits "Row 3. A cell is …"; what it tells is named, and its row is no part."""
    with pytest.raises(DataError) as caught:
        yield caught
    error = caught.value
    assert re.search(pattern, f"{error.where} {error}"), f"{error.where} {error}"
    assert not ROW.search(str(error)) or "more than" in str(error)
    assert error.discloses is not None
