"""Does it match the papers?"""

from pages import class_views, papers
from pages.frame import links, page_header, screen

headline = page_header("Does it match the papers?")
links.begin("papers")
class_views.bar()

form, answer = screen.halves()

with form, screen.controls():
    figure = papers.choose_figure()
    pressed = papers.recompute_button(figure)
    links.show_link()

links.write_link()
stored = papers.stored_result(figure)
headline.markdown(papers.headline(stored))

if pressed:
    papers.recompute(figure)

with answer:
    papers.show(figure, stored)
    with screen.answer():
        papers.show_recomputed(figure, stored)

papers.show_all()

screen.show_answer()
