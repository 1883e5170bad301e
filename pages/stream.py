"""What if the data does not fit?"""

from dpq_core.ui import stream
from dpq_core.ui.shell import links, page_header, screen, state

headline = page_header("What if the data does not fit?")
links.begin("stream")

form, answer = screen.halves()

with form, screen.controls():
    source = stream.choose_source()
    mode = state.decide_mode(source.data if source else None)
    chosen = stream.choose_settings(source, mode)
    pressed = stream.run_button(chosen, mode)
    links.show_link()

headline.markdown(stream.headline(source, mode))
links.write_link()

with answer, screen.answer():
    if source and chosen and (pressed or stream.is_first_picture(source, mode)):
        stream.start(source, chosen, first=not pressed)
    stream.show(source, chosen, mode)

screen.show_answer()
