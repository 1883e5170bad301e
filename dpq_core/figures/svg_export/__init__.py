"""A figure as a still drawing: one SVG of some kilobytes that needs no script, prints, and opens anywhere.

plotly itself draws in browsers only, and its script alone takes 4.8 MB (its smallest bundle 1 MB). What our figures are
made of is little: points, lines and bars on linear, logarithmic and date axes, with a legend. Just that is drawn here,
from the same figures that the pages show; a kind of trace that is not known is an error, never a gap.
"""
