"""The codebook of several columns: answers and public facts, safe in a spreadsheet and in a browser."""

import numpy as np

from dpq_core import Domain, Plan, PureDP, Sample, release
from dpq_core.results.tables.codebook import Codebook

VALUES = np.random.default_rng(0).normal(50, 15, 500)
NAMES = ("age", "=cmd|' /C calc'!A0", "<b>income</b>")


def test_html_escapes_names_and_needs_no_script():
    domains = (Domain(0, 100, 1), Domain(0, 100, "0.5"), Domain.significant(2))
    samples = {name: Sample.from_values(VALUES, domain) for name, domain in zip(NAMES, domains, strict=True)}
    page = Codebook.of(release(samples, Plan(["1/4", "1/3"], "aq", PureDP(1.0)))).as_html()
    assert "&lt;b&gt;income&lt;/b&gt;" in page
    assert "<script" not in page
    assert "http" not in page
