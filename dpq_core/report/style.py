"""How the report looks: on the screen, on a phone, as a file, and on paper."""

from __future__ import annotations

SHEET = """
.dpq-sheet { line-height: 1.45; max-width: 60rem; }
.dpq-sheet h2 { font-size: 1.7em; line-height: 1.25; margin: .3em 0 .5em; padding: 0; font-weight: 600;
  text-wrap: balance; }
.dpq-sheet .dpq-whole { white-space: nowrap; }
.dpq-sheet .dpq-of-many { font-size: 1.2em; margin: 1em 0 .2em; }
.dpq-sheet h3 { font-size: 1.06em; margin: 1.1em 0 .35em; padding: 0; font-weight: 600; }
.dpq-sheet p { margin: .25em 0; font-size: 1em; }
.dpq-sheet ul { margin: .25em 0; padding-left: 1.2em; } .dpq-sheet li { margin: .15em 0; font-size: 1em; }
.dpq-sheet small, .dpq-sheet p.dpq-quiet { font-size: .86em; opacity: .8; }
.dpq-sheet .dpq-mark { border-left: .3em solid #dd7f1f; padding: .2em .7em; margin: .6em 0; font-weight: 600; }
.dpq-sheet .dpq-private { border-left: .3em solid #4577c6; padding: .2em .7em; margin: .8em 0; font-weight: 600; }
.dpq-sheet .dpq-warning { border-left: .3em solid #c9a227; padding: .2em .7em; margin: .6em 0; }
.dpq-sheet summary { cursor: pointer; font-size: .86em; padding: .3em 0; }
.dpq-sheet .dpq-numbers { display: grid; grid-template-columns: 4fr 5fr 7fr; gap: 1em; margin: 1em 0 .6em; }
.dpq-sheet .dpq-numbers > div, .dpq-sheet .dpq-label { border: 1px solid rgba(125, 137, 155, .5); border-radius: .4em;
  padding: .7em .9em; }
.dpq-sheet .dpq-number { font-size: 1.35em; font-weight: 600; line-height: 1.25; }
.dpq-sheet .dpq-numbers p { font-size: .9em; }
.dpq-sheet table { border-collapse: collapse; width: 100%; font-size: .93em; margin: .3em 0; }
.dpq-sheet th, .dpq-sheet td { border: 0; border-bottom: 1px solid rgba(125, 137, 155, .35); padding: .25em .5em;
  text-align: left; vertical-align: top; }
.dpq-sheet th { font-weight: 600; }
.dpq-sheet td.dpq-right, .dpq-sheet th.dpq-right { text-align: right; font-variant-numeric: tabular-nums; }
.dpq-sheet .dpq-label table { font-size: .9em; margin: 0; }
.dpq-sheet .dpq-label td { overflow-wrap: anywhere; }
.dpq-sheet .dpq-label td:first-child { overflow-wrap: normal; min-width: 8em; }
.dpq-sheet .dpq-label h3 { margin-top: 0; border-bottom: .3em solid currentColor; padding-bottom: .2em; }
.dpq-sheet .dpq-two { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6em; align-items: start; margin-top: 1em; }
.dpq-sheet .dpq-two > div > h3:first-child { margin-top: 0; }
"""
CHARTS = """
.dpq-sheet { --rule: #d9dfe8; --interval: #a2bbe2; --box: #f3d9bc; --faint: #b4bcc8; --coin: #7d899b; }
@media screen and (prefers-color-scheme: dark) {
  .dpq-sheet { --rule: #364152; --interval: #3a5a8f; --box: #6b4a28; --faint: #5b6677; } }
.dpq-sheet .dpq-chart { display: grid; column-gap: 1em; max-width: 50rem; margin: .6em 0; font-size: .93em;
  grid-template-columns: fit-content(28%) max-content minmax(9rem, 1fr) max-content; font-variant-numeric: tabular-nums;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.dpq-sheet .dpq-row { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; align-items: center;
  min-height: 2em; }
.dpq-sheet .dpq-row > span:first-child { overflow-wrap: anywhere; line-height: 1.2; }
.dpq-sheet .dpq-row > span:nth-child(2), .dpq-sheet .dpq-row > span:nth-child(3) { text-align: right; }
.dpq-sheet .dpq-row > span:nth-child(3) { grid-column: 4; } .dpq-sheet .dpq-row > .dpq-across { grid-column: 1 / -1; }
.dpq-sheet .dpq-row > span, .dpq-sheet .dpq-row > div { grid-row: 1; }
.dpq-sheet .dpq-chart :is(.dpq-heads, .dpq-axis, .dpq-faint), .dpq-row:not(.dpq-heads, .dpq-faint) > span:nth-child(3)
  { opacity: .8; }
.dpq-sheet .dpq-heads, .dpq-sheet .dpq-axis { font-size: .93em; } .dpq-sheet .dpq-strong { font-weight: 600; }
.dpq-sheet .dpq-row > div { grid-column: 3; position: relative; align-self: stretch; margin: 0 1.5em; }
.dpq-sheet .dpq-plot { background: linear-gradient(var(--rule) 0 0) 0 50%/100% 1px no-repeat, var(--lines); }
.dpq-sheet .dpq-plot i { position: absolute; top: 50%; translate: 0 -50%; }
.dpq-sheet .dpq-box { height: 1.15em; min-width: 1px; background: var(--box); }
.dpq-sheet .dpq-bar { height: .65em; min-width: 1px; background: var(--interval); }
.dpq-sheet .dpq-plot .dpq-point { width: .65em; height: .65em; translate: -50% -50%; rotate: 45deg;
  background: #dd7f1f; }
.dpq-sheet .dpq-faint .dpq-point { background: var(--faint); }
.dpq-sheet .dpq-faint .dpq-box { background: var(--rule); }
.dpq-sheet .dpq-axis > div { border-top: 1px solid var(--coin); padding-top: 1.6em; text-align: center; }
.dpq-sheet .dpq-axis > div + div { grid-row: 2; border: 0; padding: 0; }
.dpq-sheet .dpq-axis span { position: absolute; top: .2em; white-space: nowrap; translate: -50%; }
.dpq-sheet .dpq-scale { display: grid; grid-template-columns: 1fr 1fr; max-width: 19rem; margin: .3em 0;
  position: relative; padding-top: 1.7em; }
.dpq-sheet .dpq-scale b { position: absolute; top: 0; }
.dpq-sheet .dpq-scale div { grid-column: 1 / -1; height: .8em; background: var(--rule); margin-bottom: .3em; }
.dpq-sheet .dpq-scale i { display: block; box-sizing: border-box; height: 1.3em; translate: 0 -.25em; min-width: 4px;
  border-right: 3px solid; background: linear-gradient(var(--interval) 0 0) 0 50%/100% .8em no-repeat; }
.dpq-sheet .dpq-scale small + small { text-align: right; }
.dpq-sheet .dpq-odds { display: flex; max-width: 9.5rem; height: .8em; border: 1px solid var(--coin); }
.dpq-sheet .dpq-odds i { width: 50%; background: var(--coin); } .dpq-sheet .dpq-odds i + i { background: #4577c6; }
.dpq-sheet .dpq-scale, .dpq-sheet .dpq-odds { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
"""
"""Names and numbers of rows are in columns beside the axis; its lines are the background of each row's picture."""
NARROW = """
@media screen and (max-width: 40rem) { .dpq-sheet .dpq-two, .dpq-sheet .dpq-numbers { grid-template-columns: 1fr; }
  .dpq-sheet .dpq-chart { grid-template-columns: minmax(0, 1fr) max-content fit-content(45%); }
  .dpq-sheet .dpq-row { padding-top: .3em; } .dpq-sheet .dpq-row > span:nth-child(3) { grid-column: 3; }
  .dpq-sheet .dpq-row > div { grid-column: 1 / -1; grid-row: 2; min-height: 1.5em; }
  .dpq-sheet .dpq-axis { padding: 0; } .dpq-sheet .dpq-axis > div { min-height: 0; }
  .dpq-sheet .dpq-axis > div:first-child { grid-row: 1; }
  .dpq-sheet h2 { font-size: 1.4em; } .dpq-sheet th, .dpq-sheet td { padding: .25em .3em; } }
"""
"""On a phone the numbers of an answer are above its bar, and boxes are below each other."""
PAPER = """
@media print { .dpq-sheet { font-size: 8.2pt; line-height: 1.24; max-width: none; }
  .dpq-sheet h3 { margin: .7em 0 .2em; } .dpq-sheet th, .dpq-sheet td { padding: .14em .5em; }
  .dpq-sheet tr, .dpq-sheet .dpq-row, .dpq-sheet .dpq-label, .dpq-sheet .dpq-numbers, .dpq-sheet .dpq-below
  { break-inside: avoid; }
  .dpq-sheet details { display: none; } .dpq-sheet .dpq-chart { max-width: 150mm; }
  .dpq-sheet .dpq-row { min-height: 1.75em; }
  .dpq-sheet h2, .dpq-sheet h3 { break-after: avoid; } .dpq-sheet p { orphans: 3; widows: 3; }
  .dpq-sheet .dpq-two { grid-template-columns: 1fr 1fr; margin-top: .7em; }
  .dpq-sheet .dpq-numbers { grid-template-columns: 3fr 4fr 9fr; gap: .7em; margin: .6em 0; }
  .dpq-sheet .dpq-numbers > div, .dpq-sheet .dpq-label { padding: .4em .7em; }
  .dpq-sheet .dpq-number { font-size: 1.3em; } .dpq-sheet .dpq-mark, .dpq-sheet .dpq-private { margin: .4em 0; }
  .dpq-sheet .dpq-scale { max-width: 58mm; } }
"""
"""One page where the answers are as usual. What is longer has two: the part below the answers moves as a whole."""
STYLE = SHEET + CHARTS + NARROW + PAPER
PAGE = """
:root { color-scheme: light dark; }
body { font-family: system-ui, "Source Sans 3", "DejaVu Sans", sans-serif; color: #0e1828; background: #fff; }
@media screen and (prefers-color-scheme: dark) { body { color: #e7ebf2; background: #12161d; } }
@media print { :root { color-scheme: light; } }
@page { size: A4; margin: 8mm 14mm; }
body { margin: 1.5rem auto; max-width: 60rem; padding: 0 1rem; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""
"""What the file needs besides, where no dashboard is around it."""
