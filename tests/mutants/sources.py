"""Changes to how files, frames and databases are read: what a cell means, and which rows are records."""

from tests.mutants.mutant import Table

# fmt: off
SOURCES: Table = {
"dpq_core/arrays.py": {
"test_column": [("nonempty = left > 0", "nonempty = left >= 0")]},
"dpq_core/frame.py": {
"frames/test_frames::test_an_end_at_a_bound_is_open": [("np.where(high >= float(domain.upper), inf, high)", "high")]},
"dpq_core/tabular.py": {
"frames/test_frames::test_csv_of_a_study_says_that_it_is_not_private": [
 ('return {"label": NOT_PRIVATE}', 'return {"label": ""}')],
"frames/test_frames::test_tables_are_those_that_were_approved": [('"private": self._simulated,', '"private": False,')],
"frames/test_frames::test_a_study_says_on_top_that_it_is_not_private": [
 ('escape(NOT_PRIVATE)}</strong></p>" if self._simulated',
 'escape(NOT_PRIVATE)}</strong></p>" if not self.cells')]},
"dpq_core/sources/column.py": {
"sources/test_samples -k missing_and_infinite": [
 ("np.count_nonzero(np.isfinite(self.values))", "np.count_nonzero(~np.isnan(self.values))")],
"sources/test_streams::test_text_that_changes_on_the_way_is_refused": [
 ("        clear.__cause__ = clear.__context__ = None\n", "")],
"sources/test_streams::test_a_file_or_a_row_group_without_rows_ends_no_stream": [
 ("step()) is not None:", "step()) is not None and len(batch):")]},
"dpq_core/sources/databases.py": {
"sources/test_databases -k several_kinds": [("if len(kinds) < 2 or kinds ==", "if len(kinds) < 3 or kinds ==")],
"sources/test_databases -k only_reads": [("PRAGMA query_only = ON", "PRAGMA query_only = OFF")],
"sources/test_databases -k persons_and_groups": [
 ("np.lexsort([each.values for each in reversed(found.columns)])", "np.arange(found.columns[0].rows)")]},
"dpq_core/sources/dates.py": {
"sources/test_samples -k notations": [('np.signbit(parts["sign"])', 'parts["sign"] < 0')]},
"dpq_core/sources/excel/column.py": {
"sources/test_samples -k truth_value": [("if truths.any() and (odd", "if truths.all() and (odd")],
"sources/test_samples -k workbook_merged": [("[cells[within.start]] * (", "[None] * (")],
"sources/test_samples -k workbook_formats": [("cell.year <= found.first_year", "cell.year < found.first_year")],
"sources/test_samples -k workbook_blank": [
 ('                sheet += [(between, [""] * len(row)) for between in range(above + 1, number)]\n', "")]},
"dpq_core/sources/excel/formulas.py": {
"sources/test_samples -k table_total": [
 ('if each.get("totalsRowCount", "0") != "0"]', 'if each.get("totalsRowCount", "0") == "1."]')],
"sources/test_samples -k workbook_formula": [
 ('if settings["fullCalcOnLoad"] or found.count == len(found.zeros)', "if found.count == len(found.zeros)")]},
"dpq_core/sources/files.py": {
"sources/test_streams::test_folders_and_lists_are_one_column": [
 ("for number, part in enumerate(self._parts):", "for number, part in enumerate(self._parts[:-1]):")],
"sources/test_streams::test_files_that_do_not_go_together_are_refused": [
 ("FileStart(row, part.called,", "FileStart(0, part.called,")]},
"dpq_core/sources/header.py": {
"sources/test_header::test_what_is_certain": [
 ("for at in named])):\n        return None", "for at in named])):\n        return True")],
"sources/test_header::test_names_that_could_be_values": [
 ("flag is not False or _NUMBER_FIRST", "flag or _NUMBER_FIRST")]},
"dpq_core/sources/margins.py": {
"sources/test_samples -k marks": [("SEVERAL = 2 ", "SEVERAL = 1 "),
 ('and not any(with_commas) else ""', 'else ""'),
 ("return proved if count >= SEVERAL and not others", "return proved if count >= SEVERAL")],
"sources/test_samples -k total": [("is_note or is_alone", "is_alone"), ("if is_total or _is_below", "if _is_below")]},
"dpq_core/sources/notation.py": {
"sources/test_numbers::test_marks_that_can_be_read_both_ways_are_refused_where_the_file_leaves_them_open": [
 ("        if setting:\n", "        if setting in ORDERED.values():\n")],
"sources/test_samples -k date_of_two_readings": [
 ("        if setting:\n", '        if setting == "decimal":\n')],
"sources/test_numbers::test_words_for_missing_become_nan_and_infinities_stay": [
 ('if nothing and first.kind != "date":', 'if nothing and first.kind == "date":')],
"sources/test_samples -k notations_that_are_said": [
 ("        return np.where(are_texts(fields, self._reading.zero), 0.0, numbers) if self._reading.zero else numbers",
 "        return numbers")],
"sources/test_numbers::test_one_cell_after_many_decides_for_all": [
 ("in (chunk[:CELLS_TRIED_FIRST], chunk[CELLS_TRIED_FIRST:]):", "in (chunk[:CELLS_TRIED_FIRST],):")],
"sources/test_repairs::test_amounts_without_a_unit_get_that_of_the_others": [
 ("pc.if_else(pc.match_substring_regex(fields, BARE), in_unit, fields)", "in_unit")]},
"dpq_core/sources/numbers.py": {
"sources/test_samples -k notations": [
 ('text = pc.replace_substring(text, "(", "-")', 'text = pc.replace_substring(text, "(", "")')],
"sources/test_numbers::test_the_mark_of_the_file_decides_in_doubt_only": [
 ('        if contains(text, "."):\n            return None\n', "")],
"sources/test_samples -k odd_cells": [("return numbers if as_written else None", "return numbers")],
"sources/test_numbers::test_words_for_missing_become_nan_and_infinities_stay": [
 ("numbers: Floats = text.cast(pa.float64()).to_numpy",
 "numbers: Floats = text.cast(pa.float64()).fill_null(0.0).to_numpy")],
"sources/test_samples -k minus_1e400": [("if (too_large := first_too_large(fitting, numbers)) >= 0:",
 "if (too_large := first_too_large(fitting, numbers)) >= len(fields):")]},
"dpq_core/sources/parquet.py": {
"sources/test_same_cells::test_the_cells_of_a_parquet_file_are_as_many_persons_and_groups[moments]": [
 ("if np.any(micro * 1_000 != nano):", "if np.any(micro * 1_000 > nano):")],
"sources/test_samples -k parquet_moments": [
 ("coerce_int96_timestamp_unit=unit,", 'coerce_int96_timestamp_unit="ns",')],
"sources/test_samples -k parquet_row_groups": [
 ("                yield [batch.column(read",
 "                if done < rows or done == len(batch): yield [batch.column(read")],
"sources/test_files::test_parquet_columns_with_the_same_name_or_a_dot": [
 ("leaves = [_first_leaf(schema, each.at) for",
 "leaves = [_first_leaf(schema, schema.names.index(schema.names[each.at])) for")],
"sources/test_samples -k parquet_types": [('[each.use == "values" and is_text(', "[is_text(")]},
"dpq_core/sources/pasted.py": {
"sources/test_files::test_pasted_values": [("    lines = lines[: filled[-1] + 1]\n", "")]},
"dpq_core/sources/reading.py": {
"sources/test_samples -k notations_that_are_said": [
 ("numbers = np.where(np.isin(numbers, codes), np.nan,", "numbers = np.where(np.isin(numbers, codes), numbers,")]},
"dpq_core/sources/survey/spss.py": {
"sources/test_samples -k spss_formats": [("DAYS_BEFORE = 141_428", "DAYS_BEFORE = 141_427")]},
"dpq_core/sources/survey/variables.py": {
"sources/test_samples -k labels_of_no_answers": [("if no_answers and not place", "if not no_answers and not place")],
"sources/test_samples -k spss_declared": [
 ("disable_datetime_conversion=True, **settings", "disable_datetime_conversion=True, user_missing=True, **settings")],
"sources/test_samples -k labels": [('if place.use == "names" else cells', "if True else cells")],
"sources/test_survey -k zsav": [
 ("while rows is None or done < rows:", "while rows is None or done < min(rows, most):")],
"sources/test_survey::test_the_line_says_that_declared_values_are_missing_and_never_which": [
 ("declares=True,", "declares=bool(found.labels),")]},
"dpq_core/sources/rows.py": {
"sources/test_samples -k block_of_persons": [("    if may_be and there[0]", "    if False and there[0]")]},
"dpq_core/sources/text/characters.py": {
"sources/test_same_cells::test_a_file_of_shift_jis_is_refused_with_its_row_and_byte_and_read_where_that_is_said": [
 ("codecs.getincrementaldecoder(encoding)()", 'codecs.getincrementaldecoder(encoding)("replace")')],
"sources/test_same_cells::test_a_character_that_is_cut_by_a_block_is_looked_at": [
 ("if same and not within and block.isascii()", "if same and block.isascii()")],
"sources/test_same_cells::test_a_windows_file_is_said_to_be_one_and_a_letter_far_below_counts": [
 ("if not whole and left <= 0:", "if left <= 0:")]},
"dpq_core/sources/text/delimited.py": {
"sources/test_samples -k code_page_850": [('if layout.guessed and each.use != "values"', "if False")],
"sources/test_header::test_what_was_said_holds_against_the_cells": [
 ("        header = layout.header\n", "        header = False\n")],
"sources/test_samples -k without_header": [("        header = layout.header\n", "        header = True\n")],
"sources/test_files::test_a_late_surprise_is_found_across_batches": [
 ("            header = header and not cut\n", "")],
"sources/test_files -k below_many_rows": [
 ("    if packed and (end", "    if not packed and (end")],
"sources/test_samples -k blank_lines": [("ignore_empty_lines=False", "ignore_empty_lines=True")]},
"dpq_core/sources/text/unpacking.py": {
"sources/test_samples -k quotes_are": [('[^"{end}]*|', "[^{end}]*|"), ("strict=quoting is None", "strict=False")],
"sources/test_samples -k blank_lines": [("end = len(text.rstrip(self._blank))", "end = len(text)")]},
"dpq_core/texts.py": {
"sources/test_names_as_typed -k by_the_same_rule": [
 ('text = unicodedata.normalize("NFC", text.translate(INVISIBLE))', "text = text.translate(INVISIBLE)")]},
"dpq_core/values.py": {
"test_column::test_any_column_of_numbers_will_do": [
 ("values = np.ma.filled(values.astype(np.float64), np.nan)", "values = np.ma.getdata(values)")],
"test_values -k without_a_value": [("clear = DataError(_BROKEN)", "raise")],
"sources/test_same_cells::test_whole_numbers_that_were_rounded_are_refused": [
 ("np.any((size >= limit) & (size", "np.any((size > LARGEST_ID) & (size")],
"sources/test_samples -k parquet_types": [
 ("_floats(pc.local_timestamp(cells).cast(pa.int64()))", "_floats(cells.cast(pa.int64()))"),
 ("cells.cast(pa.float64(), safe=False).to_numpy", "cells.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy"),
 ('"ms": 86_400_000,', '"ms": 86_400,')],
"people/test_ids": [
 ("column = np.empty(len(given), dtype=object)", "column = np.empty(len(given), dtype=np.float64)")]},
}
# fmt: on
