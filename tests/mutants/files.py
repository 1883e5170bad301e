"""Changes to how files are read: what a cell means, and which rows are records."""

from tests.mutants.mutant import Mutant

SOURCES = "dpq_core/sources/"
NUMBERS = "tests/sources/test_numbers.py::"
READ = "tests/sources/test_files.py::"
HEADER = "tests/sources/test_header.py::"
STREAMS = "tests/sources/test_streams.py::"
MESSY = "tests/sources/test_messy.py"

FILES = (
    Mutant(
        "a number in parentheses is positive",
        f"{SOURCES}numbers.py",
        'text = pc.replace_substring(text, "(", "-")',
        'text = pc.replace_substring(text, "(", "")',
        f"{NUMBERS}test_a_column_of_numbers",
    ),
    Mutant(
        "a point is taken for a decimal comma",
        f"{SOURCES}numbers.py",
        '        if contains(text, "."):\n            return None\n',
        "",
        f"{NUMBERS}test_the_mark_of_the_file_decides_in_doubt_only",
    ),
    Mutant(
        "text that only Arrow takes for a number is read",
        f"{SOURCES}numbers.py",
        "return numbers if np.count_nonzero(np.isnan(numbers)) == cast.null_count else None",
        "return numbers",
        f"{NUMBERS}test_the_bad_cell_is_named_in_whatever_chunks_it_comes",
    ),
    Mutant(
        "a word for missing counts in small letters only",
        f"{SOURCES}numbers.py",
        "pc.is_in(pc.ascii_lower(text), pa.array(MISSING))",
        "pc.is_in(text, pa.array(MISSING))",
        f"{NUMBERS}test_words_for_missing_become_nan_and_infinities_stay",
    ),
    Mutant(
        "a missing cell is zero",
        f"{SOURCES}numbers.py",
        "numbers: Floats = cast.to_numpy(zero_copy_only=False)",
        "numbers: Floats = cast.fill_null(0.0).to_numpy(zero_copy_only=False)",
        f"{NUMBERS}test_words_for_missing_become_nan_and_infinities_stay",
    ),
    Mutant(
        "a comma parts thousands where the separator speaks for decimals",
        f"{SOURCES}notation.py",
        '    return next(notation for notation in fitting if notation.decimal == (decimal or ","))',
        '    return next(notation for notation in fitting if notation.decimal == (decimal or "."))',
        f"{NUMBERS}test_the_mark_of_the_file_decides_in_doubt_only",
    ),
    Mutant(
        "dates that can be read both ways are read one way",
        f"{SOURCES}notation.py",
        "        raise Ambiguous(AMBIGUOUS_DATES)",
        "        return fitting[0]",
        f"{NUMBERS}test_dates_that_can_be_read_both_ways_ask_for_iso_dates",
    ),
    Mutant(
        "points that can part thousands or decimals are read one way",
        f"{SOURCES}notation.py",
        "        raise Ambiguous(AMBIGUOUS_POINTS)",
        "        return fitting[0]",
        f"{NUMBERS}test_points_alone_are_refused_where_the_mark_is_open",
    ),
    Mutant(
        "the first thousand cells of a batch decide its notation",
        f"{SOURCES}notation.py",
        "(chunk[:FEW], chunk[FEW:]) if len(piece)",
        "(chunk[:FEW],) if len(piece)",
        f"{NUMBERS}test_one_cell_after_many_decides_for_all",
    ),
    Mutant(
        "a time zone is added instead of taken off",
        f"{SOURCES}dates.py",
        "(_clock(parts) - _zone(parts))",
        "(_clock(parts) + _zone(parts))",
        f"{NUMBERS}test_dates_are_days_since_1970",
    ),
    Mutant(
        "minutes of a zone behind UTC count ahead",
        f"{SOURCES}dates.py",
        'np.copysign(60 * parts["zone_minutes"], parts["zone_hours"])',
        '60 * parts["zone_minutes"]',
        f"{NUMBERS}test_dates_are_days_since_1970",
    ),
    Mutant(
        "a negative duration below an hour is positive",
        f"{SOURCES}dates.py",
        'np.signbit(parts["sign"])',
        'parts["sign"] < 0',
        f"{NUMBERS}test_durations_are_seconds",
    ),
    Mutant(
        "the header counts as a record",
        f"{SOURCES}text/delimited.py",
        "        header = layout.header\n",
        "        header = False\n",
        f"{HEADER}test_what_was_said_holds_against_the_cells",
    ),
    Mutant(
        "the first record counts as a header",
        f"{SOURCES}text/delimited.py",
        "        header = layout.header\n",
        "        header = True\n",
        f"{READ}test_a_text_file",
    ),
    Mutant(
        "the first row of every batch counts as a header",
        f"{SOURCES}text/delimited.py",
        "            header = header and not cut\n",
        "",
        f"{READ}test_a_late_surprise_is_found_across_batches",
    ),
    Mutant(
        "a total below packed text counts as a record",
        f"{SOURCES}text/delimited.py",
        "    if packed:\n        for index in indices",
        "    if not packed:\n        for index in indices",
        f"{MESSY} -k packed",
    ),
    Mutant(
        "a row that somebody left out counts as a record",
        f"{SOURCES}text/delimited.py",
        "kept = min(max(rows - count, 0), len(batch[0]))",
        "kept = len(batch[0])",
        "tests/sources/test_repairs.py::test_rows_are_left_out_across_batches",
    ),
    Mutant(
        "a unit is added to what has another one",
        f"{SOURCES}notation.py",
        "pc.if_else(pc.match_substring_regex(fields, BARE), in_unit, fields)",
        "in_unit",
        "tests/sources/test_repairs.py::test_amounts_without_a_unit_get_that_of_the_others",
    ),
    Mutant(
        "a person's row names the columns",
        f"{SOURCES}header.py",
        "    if any(could_be_values([first[at] for at in named])):\n        return None",
        "    if any(could_be_values([first[at] for at in named])):\n        return True",
        f"{HEADER}test_what_is_certain",
    ),
    Mutant(
        "a word for missing is told as a column's name",
        f"{SOURCES}header.py",
        "flag is not False or _NUMBER_FIRST",
        "flag or _NUMBER_FIRST",
        f"{HEADER}test_names_that_could_be_values",
    ),
    Mutant(
        "a person who left the only answer blank is no record",
        f"{SOURCES}text/blank_lines.py",
        "self._ready, self._due, self._held = ready, self._held, 0",
        "self._ready, self._due, self._held = ready, 0, 0",
        "tests/sources/test_blank_lines.py::test_blocks_of_any_size_hold_the_lines_of_the_whole",
    ),
    Mutant(
        "the last of several files is not read",
        f"{SOURCES}streams/batches.py",
        "        for file in self.files:\n            yield from",
        "        for file in self.files[:-1] or self.files:\n            yield from",
        f"{STREAMS}test_folders_and_lists_are_one_column",
    ),
    Mutant(
        "a batch without rows ends a stream",
        f"{SOURCES}streams/batches.py",
        "while (batch := step()) is not None:",
        "while (batch := step()) is not None and len(batch):",
        f"{STREAMS}test_a_file_or_a_row_group_without_rows_ends_no_stream",
    ),
    Mutant(
        "what was read until an error is taken for the whole",
        f"{SOURCES}streams/batches.py",
        "    for batch in stream:\n        target.update(batch)\n    return target",
        "    try:\n"
        "        for batch in stream:\n"
        "            target.update(batch)\n"
        "    except DataError:\n"
        "        pass\n"
        "    return target",
        f"{STREAMS}test_text_that_changes_on_the_way_is_refused",
    ),
    Mutant(
        "an empty cell of a Parquet file is zero",
        "dpq_core/values.py",
        "cells.cast(pa.float64(), safe=False).to_numpy",
        "cells.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy",
        f"{READ}test_a_parquet_column",
    ),
    Mutant(
        "milliseconds of a date count as seconds",
        "dpq_core/values.py",
        '"ms": 86_400_000,',
        '"ms": 86_400,',
        f"{READ}test_a_parquet_column",
    ),
    Mutant(
        "the last batch of a Parquet file is dropped",
        f"{SOURCES}parquet.py",
        "            yield batch.column(twin)",
        "            if done < reader.metadata.num_rows or done == len(batch): yield batch.column(twin)",
        f"{READ}test_parquet_in_several_row_groups_and_batches",
    ),
    Mutant(
        "of two columns with one name the first is always read",
        f"{SOURCES}parquet.py",
        "names[:index].count(field.name)",
        "0",
        f"{READ}test_parquet_columns_with_the_same_name_or_a_dot",
    ),
    Mutant(
        "a note below the records counts as one",
        f"{SOURCES}margins.py",
        "return is_total or is_note or is_alone",
        "return is_total or is_alone",
        f"{MESSY} -k sentence",
    ),
    Mutant(
        "a total counts as a record",
        f"{SOURCES}margins.py",
        "return is_total or is_note or is_alone",
        "return is_note or is_alone",
        f"{MESSY} -k sentence",
    ),
    Mutant(
        "of two marks that are both proved the point wins",
        f"{SOURCES}margins.py",
        'return found[0] if len(found) == 1 else ""',
        'return found[0] if found else ""',
        f"{MESSY} -k sentence",
    ),
    Mutant(
        "blank lines below pasted values count as records",
        f"{SOURCES}files.py",
        "    lines = lines[: filled[-1] + 1]\n",
        "",
        f"{READ}test_pasted_values",
    ),
    Mutant(
        "a blank row of a sheet is no record",
        f"{SOURCES}excel/column.py",
        "                sheet += [(between, blank) for between in range(above + 1, number)]\n",
        "",
        "tests/sources/test_files.py -k blank_row",
    ),
    Mutant(
        "an infinite value is not missing",
        f"{SOURCES}column.py",
        "np.count_nonzero(np.isfinite(numbers))",
        "np.count_nonzero(~np.isnan(numbers))",
        f"{READ}test_missing_and_infinite_values_are_counted",
    ),
    Mutant(
        "an error quotes a cell in its cause",
        f"{SOURCES}column.py",
        "        clear.__cause__ = clear.__context__ = None\n",
        "",
        f"{STREAMS}test_text_that_changes_on_the_way_is_refused",
    ),
)
