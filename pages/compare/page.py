"""Which mechanism suits my data?"""

from pages import class_views, compare, keys, studies
from pages.compare import advice
from pages.form import choose_data, choose_inputs, show_details
from pages.frame import links, page_header, screen, state

headline = page_header("Which mechanism suits my data?")
links.begin("compare")
class_views.bar()

form, answer = screen.halves()

with form, screen.controls():
    inputs = choose_inputs(choose_data(), of_shape=True, with_intervals=True, may_find=True)
    records = studies.choose_records(inputs)
    trouble = compare.choose_trouble()
    trials = studies.choose_trials()
    request = compare.request_of(studies.setup(inputs, records, trials), trouble, studies.choose_options())
    pressed = studies.button("Compare", keys.widget("run_compare"), inputs, request)
    links.show_link()

headline.markdown(studies.headline(inputs))
links.write_link()

with answer:
    advice.show(request)

with answer, screen.answer():
    if request and (pressed or studies.is_first(compare.NAME, inputs.brought)):
        compare.draw(request, state.next_seed() if pressed else None)
    studies.show(compare.NAME, request, inputs, compare.DOING, "Compare", compare.show)

show_details(inputs)

screen.show_answer()
