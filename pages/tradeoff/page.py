"""What does privacy cost?"""

from pages import class_views, keys, studies, tradeoff
from pages.form import choose_data, choose_inputs, show_details
from pages.frame import links, page_header, screen, state
from pages.tradeoff import results

headline = page_header("What does privacy cost?")
links.begin("tradeoff")
class_views.bar()

form, answer = screen.halves()

with form, screen.controls():
    sweeping = tradeoff.choose_question() == "sweep"
    sweep = tradeoff.choose_sweep() if sweeping else ""
    data = choose_data()
    error = 0 if sweeping else tradeoff.choose_wanted(data.many if data else "records")
    measure = "" if sweeping else tradeoff.choose_measure()
    mechanisms = tradeoff.choose_mechanisms()
    inputs = choose_inputs(data, of_shape=True, kind_only=not sweeping)
    records = studies.choose_records(inputs)
    setup = studies.setup(inputs, records, studies.choose_trials() if sweeping else 100)
    request = tradeoff.request_of(setup, mechanisms, studies.choose_options(), sweep, error, measure)
    pressed = studies.button("Simulate" if sweeping else "Search", keys.widget("run_tradeoff"), inputs, request)
    links.show_link()

headline.markdown(studies.headline(inputs))
links.write_link()

with answer, screen.answer():
    if sweeping:
        if request and (pressed or studies.is_first(tradeoff.SWEEP, data)):
            tradeoff.start_sweep(request, state.next_seed() if pressed else None)
        studies.show(tradeoff.SWEEP, request, inputs, "Sweeping", "Simulate", results.show_sweep)
    else:
        if request and pressed:
            tradeoff.start_search(request, state.next_seed())
        studies.show(tradeoff.WANTED, request, inputs, "Searching", "Search", results.show_search)

show_details(inputs)

screen.show_answer()
