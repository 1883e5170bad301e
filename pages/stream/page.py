"""What if the data does not fit?"""

from pages import class_views, stream
from pages.frame import links, page_header, screen

headline = page_header("What if the data does not fit?")
links.begin("stream")
class_views.bar()

form, answer = screen.halves()

with form, screen.controls():
    source = stream.choose_source()
    if isinstance(source, stream.SpreadTable):
        asked = stream.ask(source)
    else:
        chosen = stream.choose_settings(source)
        pressed = stream.run_button(source, chosen)
    links.show_link()

headline.markdown(stream.headline(source))
links.write_link()

with answer, screen.answer():
    if isinstance(source, stream.SpreadTable):
        stream.answer(asked)
    else:
        if isinstance(source, stream.PublicSource) and chosen and (pressed or stream.is_first_picture(source)):
            stream.start(source, chosen, first=not pressed)
        stream.show(source, chosen)

screen.show_answer()
