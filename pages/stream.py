"""What if the data does not fit?"""

import streamlit as st

from dpq_core.ui import links, quantiles, state, stream
from dpq_core.ui.forms.privacy import choose_privacy
from dpq_core.ui.page import page_header
from dpq_core.ui.stream_sources import choose_source

headline = page_header("What if the data does not fit?")
quantiles.show_notes(links.begin("stream"))

form, answer = st.columns((28, 72), gap="large")

with form, st.container(border=True):
    source = choose_source()
    mode = state.decide_mode(source.data if source else None)
    reading = stream.choose_reading(source, mode)
    privacy = choose_privacy(None, "records")
    chosen = stream.settings_of(source, reading, privacy)
    pressed = stream.run_button(chosen, mode)
    quantiles.show_link()

headline.markdown(stream.headline(source, mode))
links.write_link()

with answer:
    if source and chosen and (pressed or stream.is_first_picture(source, mode)):
        stream.start(source, chosen, first=not pressed)
    stream.show(source, chosen, mode)
