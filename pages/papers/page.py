"""Does it match the papers?"""

from pages.papers import view
from pages.room import bar
from pages.shell import links, screen

headline = bar.begin("papers", "Does it match the papers?")

form, answer = screen.halves()

with form, screen.controls():
    figure = view.choose_figure()
    pressed = view.recompute_button(figure)
    links.show_link()

links.write_link()
stored = view.stored_result(figure)
headline.markdown(view.headline(stored))

if pressed:
    view.recompute(figure)

with answer:
    view.show(figure, stored)
    with screen.answer():
        view.show_recomputed(figure, stored)

view.show_all()

screen.show_answer()
