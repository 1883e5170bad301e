"""NumberColumn: the numbers of one column, what they mean, and the sentence for a file that cannot be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from ..arrays import Floats
from ..errors import DataError, Disclosure, ParameterError
from ..texts import plain_text
from .reading import AS_WRITTEN, Reading
from .reading import Kind as Kind  # other modules ask for it here

MAX_ROWS = 200_000_000  # 1.6 GB as float64
MAX_COLUMNS = 20_000  # Excel has 16,384; all their names are offered
DAMAGED = "The file cannot be read: it is damaged, cut short or encrypted; save it again."

Progress = Callable[[float], object]  # called with the share read so far, 0 to 1

P = ParamSpec("P")
R = TypeVar("R")


class Values(NamedTuple):
    """Numbers (NaN or infinite where there is none) with their kind and unit, and how they were read."""

    numbers: Floats
    kind: Kind
    unit: str
    reading: Reading


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """One column as read-only float64, in the order of the file.

    name     that of the file, but "column 2" where that could be a value: it may be shown with a release
    values   shape (rows,); NaN where the cell was empty or a word for missing
    unit     "" | a currency ("€", "$", "£", "¥", "CHF") | "%" | "date" (days since 1970-01-01) | "seconds"
    reading  how it was read: what was said, and what was found of the notation; never which cells there were
    declares whether files of its format declare values to be missing, and these are
    encoding what the bytes of the file were read as where that is none of Unicode: "Windows-1252", "shift_jis"
    notes    what else is to be known of how it was read, in words: the sheet, hidden rows, labelled values that count
    """

    name: str
    values: Floats
    kind: Kind
    unit: str
    reading: Reading = AS_WRITTEN
    declares: bool = False
    notes: tuple[str, ...] = ()
    encoding: str = ""

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    @property
    def rows(self) -> int:
        """Return how many values there are; private where n is."""
        return len(self.values)

    @property
    def missing(self) -> int:
        """Return how many values are NaN or infinite; private."""
        return int(self.rows - np.count_nonzero(np.isfinite(self.values)))


def label_columns(fields: Sequence[str]) -> tuple[str, ...]:
    """Return unique labels of header cells, as `plain_text`: blank "column k", repeated "age (1)" and "age (2)".

    So nobody who asks for "age" is given the first of two without knowing.
    """
    if len(fields) > MAX_COLUMNS:
        raise DataError(
            f"The file has more than {MAX_COLUMNS:,} columns, the most that can be read; use a part of it.",
            discloses=Disclosure.SIZE,
        )
    names = [plain_text(field) or f"column {k}" for k, field in enumerate(fields, start=1)]
    times, copies, labels = Counter(names), Counter[str](), list[str]()
    for name in names:
        label = name
        while times[name] > 1 and label in times:
            copies[name] += 1
            label = f"{name} ({copies[name]})"
        labels.append(label)
    return tuple(labels)


def check_rows(rows: int) -> None:
    """Raise DataError where a column is longer than MAX_ROWS."""
    if rows > MAX_ROWS:
        raise DataError(
            f"The column has more than {MAX_ROWS:,} rows, the most that can be read; use a part of it.",
            discloses=Disclosure.SIZE,
        )


def only_clear_errors(read: Callable[P, R], otherwise: str = DAMAGED) -> Callable[P, R]:
    """Let DataError and ParameterError through, and turn every other failure into a DataError: `otherwise`.

    Libraries quote cells in their messages, so nothing of the first error is kept, not even as its cause.
    """

    @wraps(read)
    def safely(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return read(*args, **kwargs)
        except (DataError, ParameterError) as error:
            clear: ValueError = error
        except (KeyboardInterrupt, SystemExit):
            raise
        except MemoryError:
            clear = DataError(
                "The file does not fit into memory; use a part of it or save it as Parquet.", discloses=Disclosure.SIZE
            )
        except BaseException:  # a panic inside the Excel reader is no Exception
            clear = DataError(otherwise, discloses=Disclosure.FORMAT)
        clear.__cause__ = clear.__context__ = None
        raise clear

    return safely


def clearly(batches: Iterator[R]) -> Iterator[R]:
    """Yield the same batches, of which none is None; turn an error on the way into one clear sentence."""
    step = only_clear_errors(partial(next, batches, None))
    while (batch := step()) is not None:
        yield batch
