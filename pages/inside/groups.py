"""One group among all that are answered: whose run is looked into."""

from __future__ import annotations

import streamlit as st

from dpq_core.domain.finding import FindBounds
from dpq_core.groups.names import names_in
from dpq_core.results.data_set import PublicData

from .. import keys
from ..form.inputs import Inputs

LABEL = "Whose run"
NOT_FOUND_BY_ITSELF = "Which groups are found is noise of its own: choose those in the data, or a list."

NOT_BETWEEN_FOUND_BOUNDS = "The steps of one group are shown between bounds that are known: say them, or choose digits."


def choose_group(inputs: Inputs) -> str:
    """Ask whose run is shown, where every group is answered; empty where there is one answer for all."""
    choice, data = inputs.group_choice, inputs.explored
    if choice is None or not isinstance(data, PublicData) or not data.groups:
        return ""
    if choice.names is None:
        st.caption(f":material/block: {NOT_FOUND_BY_ITSELF}")
        return ""
    if isinstance(inputs.bounds, FindBounds):
        st.caption(f":material/block: {NOT_BETWEEN_FOUND_BOUNDS}")
        return ""
    names = [*choice.names, *([choice.other] if choice.other else [])]
    there = set(map(str, names_in(data.groups[0])))
    first = next((at for at, name in enumerate(names) if name in there), 0)
    return str(st.selectbox(LABEL, names, index=first, key=keys.widget("group_run", data.identity, hash(tuple(names)))))
