"""How the report looks: on the screen, on a phone, as a file, and on paper."""

from __future__ import annotations

from ...figures import LADDER

SHEET = """
.dpq-sheet { line-height: 1.45; max-width: 60rem; }
.dpq-sheet h2 { font-size: 1.5em; margin: 0 0 .1em; padding: 0; font-weight: 600; }
.dpq-sheet h3 { font-size: 1.06em; margin: 1.1em 0 .35em; padding: 0; font-weight: 600; }
.dpq-sheet p { margin: .25em 0; font-size: 1em; }
.dpq-sheet img { display: block; margin: .3em 0; }
.dpq-sheet small, .dpq-sheet p.dpq-quiet { font-size: .86em; opacity: .8; }
.dpq-sheet .dpq-mark { border-left: .3em solid #dd7f1f; padding: .2em .7em; margin: .6em 0; font-weight: 600; }
.dpq-sheet .dpq-numbers { display: grid; grid-template-columns: 4fr 5fr 7fr; gap: 1em; margin: 1em 0 .6em; }
.dpq-sheet .dpq-numbers > div, .dpq-sheet .dpq-label { border: 1px solid rgba(125, 137, 155, .5); border-radius: .4em;
  padding: .7em .9em; }
.dpq-sheet .dpq-number { font-size: 1.6em; font-weight: 600; line-height: 1.25; }
.dpq-sheet table { border-collapse: collapse; width: 100%; font-size: .93em; margin: .3em 0; }
.dpq-sheet th, .dpq-sheet td { border: 0; border-bottom: 1px solid rgba(125, 137, 155, .35); padding: .25em .5em;
  text-align: left; vertical-align: top; }
.dpq-sheet th { font-weight: 600; }
.dpq-sheet td.dpq-right, .dpq-sheet th.dpq-right { text-align: right; font-variant-numeric: tabular-nums; }
.dpq-sheet .dpq-ladder { width: 34%; min-width: 4.5em; }
.dpq-sheet .dpq-ends { display: flex; justify-content: space-between; gap: 1em; }
.dpq-sheet .dpq-label table { font-size: .9em; margin: 0; }
.dpq-sheet .dpq-label td { overflow-wrap: anywhere; }
.dpq-sheet .dpq-label td:first-child { overflow-wrap: normal; min-width: 8em; }
.dpq-sheet .dpq-label h3 { margin-top: 0; border-bottom: .3em solid currentColor; padding-bottom: .2em; }
.dpq-sheet .dpq-two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6em; align-items: start; margin-top: 1em; }
.dpq-sheet .dpq-two > div > h3:first-child { margin-top: 0; }
.dpq-sheet .dpq-dots { display: grid; grid-template-columns: minmax(6em, 9em) 1fr; gap: 1.2em; align-items: center; }
.dpq-present { font-size: 1.3em; max-width: none; }
"""
NARROW = """
@media screen and (max-width: 40rem) { .dpq-sheet .dpq-two, .dpq-sheet .dpq-numbers { grid-template-columns: 1fr; }
  .dpq-sheet th, .dpq-sheet td { padding: .25em .3em; }
  .dpq-sheet .dpq-answers, .dpq-sheet .dpq-answers > * { display: block; }
  .dpq-sheet .dpq-answers tr { display: grid; grid-template-columns: 5fr 5fr 7fr;
    border-bottom: 1px solid rgba(125, 137, 155, .35); }
  .dpq-sheet .dpq-answers th, .dpq-sheet .dpq-answers td { border: 0; }
  .dpq-sheet .dpq-answers .dpq-ladder { grid-column: 1 / -1; order: 1; width: auto; } }
"""
"""On a phone the ladder goes below the numbers, each rung across the whole width."""
PAPER = """
@media print { .dpq-sheet { font-size: 8.6pt; line-height: 1.3; max-width: none; }
  .dpq-sheet h3 { margin: .7em 0 .2em; } .dpq-sheet th, .dpq-sheet td { padding: .16em .5em; }
  .dpq-sheet tr, .dpq-sheet img, .dpq-sheet .dpq-label, .dpq-sheet .dpq-numbers, .dpq-sheet .dpq-below
  { break-inside: avoid; }
  .dpq-sheet h2, .dpq-sheet h3 { break-after: avoid; } .dpq-sheet p { orphans: 3; widows: 3; }
  .dpq-sheet .dpq-two { grid-template-columns: 1fr 1fr; margin-top: .7em; }
  .dpq-sheet .dpq-numbers { grid-template-columns: 4fr 5fr 7fr; gap: .7em; margin: .6em 0; }
  .dpq-sheet .dpq-number { font-size: 1.4em; }
  .dpq-sheet .dpq-dots { grid-template-columns: 7em 1fr; } }
"""
"""One page where the answers are as usual. What is longer has two: the part below the answers moves as a whole."""
STYLE = SHEET + LADDER + NARROW + PAPER
PAGE = """
@page { size: A4; margin: 10mm 14mm; }
body { font-family: system-ui, "Source Sans 3", "DejaVu Sans", sans-serif; color: #0e1828; background: #fff;
  margin: 1.5rem auto; max-width: 60rem; padding: 0 1rem; }
@media screen and (prefers-color-scheme: dark) { body { color: #e7ebf2; background: #12161d; } }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""
"""What the file needs besides, where no dashboard is around it."""
