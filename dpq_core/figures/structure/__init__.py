"""What a mechanism did in one run, drawn: a figure of the whole run, and one of the selected step beside it.

`picture_of` finds both by the kind of step that a trace holds, so that a mechanism is drawn as what it is made of.
"""
