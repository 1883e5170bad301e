"""What if the data does not fit?"""

from pages.class_views import bar
from pages.frame import links, screen
from pages.frame.header import page_header
from pages.stream import asked as stream_asked
from pages.stream import sources, spread, view

headline = page_header("What if the data does not fit?")
links.begin("stream")
bar.bar()

form, answer = screen.halves()

with form, screen.controls():
    source = sources.choose_source()
    if isinstance(source, spread.SpreadTable):
        asked = stream_asked.ask(source)
    else:
        chosen = view.choose_settings(source)
        pressed = view.run_button(source, chosen)
    links.show_link()

headline.markdown(view.headline(source))
links.write_link()

with answer, screen.answer():
    if isinstance(source, spread.SpreadTable):
        stream_asked.answer(asked)
    else:
        if isinstance(source, sources.PublicSource) and chosen and (pressed or view.is_first_picture(source)):
            view.start(source, chosen, first=not pressed)
        view.show(source, chosen)

screen.show_answer()
