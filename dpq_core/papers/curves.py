"""The curves of the papers' figures, each with its label, its mechanism and its kind."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Look: TypeAlias = Literal["here", "printed", "also", "bound", "proved", "broken"]
"""As shipped here; sound, with published constants; sound, another budget or another project's; a printed bound; one
proved here; not private."""


class Curve(NamedTuple):
    """`mechanism` is the key whose colour it has; empty for the truth and for plain facts."""

    label: str
    mechanism: str
    look: Look


CURVES: dict[str, Curve] = {
    "aq": Curve("AQ here, one by one", "aq", "here"),
    "aq-default": Curve("AQ here", "aq", "here"),
    "aq-published": Curve("AQ as published", "aq", "printed"),
    "aq-printed": Curve("AQ, printed constants", "aq", "also"),
    "aq-concentrated": Curve("AQ as published, 0.007-zCDP", "aq", "also"),
    "jointexp": Curve("JointExp", "jointexp", "here"),
    "freetotal": Curve("FreeTotal here", "freetotal", "here"),
    "dpsynth": Curve("dpsynth's bisection", "aq", "also"),
    "pydp": Curve("PyDP's QuantileTree", "aggtree", "also"),
    "indexp": Curve("IndExp", "indexp", "here"),
    "indexp-delta": Curve("AppIndExp, with δ = 1e-6 on top", "indexp", "also"),
    "aggtree": Curve("AggTree here", "aggtree", "here"),
    "aggtree-printed": Curve("AggTree, 12 branches, height 4", "aggtree", "printed"),
    "aggtree-broken": Curve("AggTree, noise √h: not ρ = 1/8", "aggtree", "broken"),
    "slice": Curve("SliceQuantiles here", "slice", "here"),
    "slice-printed": Curve("SliceQuantiles, printed constants", "slice", "printed"),
    "gkexp": Curve("DPExpGK here", "gkexp", "here"),
    "gkexp-broken": Curve("DPExpGK as printed: not private", "gkexp", "broken"),
    "dpexpfull": Curve("DPExpFull: all records kept", "indexp", "here"),
    "sketch": Curve("Sketch without noise", "gkexp", "printed"),
    "truth": Curve("Truth", "", "here"),
    "aq-bound": Curve("AQ, 2 gamma as printed", "aq", "bound"),
    "aq-proved": Curve("AQ here, one by one, proved", "aq", "proved"),
    "indexp-bound": Curve("IndExp, Lemma A.1", "indexp", "bound"),
    "gkexp-bound": Curve("DPExpGK, theorem", "gkexp", "bound"),
    "records": Curve("Records", "", "here"),
    "distinct": Curve("Distinct values", "", "here"),
    "histogram": Curve("Records", "", "here"),
    "left": Curve("Left child's target", "aq", "here"),
    "right": Curve("Right child's target", "aq", "printed"),
    "points": Curve("Points kept", "gkexp", "here"),
    "saving-fine": Curve("alpha = 0.001", "gkexp", "here"),
    "saving-coarse": Curve("alpha = 0.01", "gkexp", "printed"),
    "pure": Curve("Pure privacy, here", "slice", "here"),
    "approximate": Curve("δ = 1e-16, here", "slice", "printed"),
}
