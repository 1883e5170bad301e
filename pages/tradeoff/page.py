"""What does privacy cost?"""

from pages import keys
from pages.class_views import bar
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details
from pages.frame import links, screen, state
from pages.frame.header import page_header
from pages.studies import job
from pages.tradeoff import questions, results

headline = page_header("What does privacy cost?")
links.begin("tradeoff")
bar.bar()

form, answer = screen.halves()

with form, screen.controls():
    sweeping = questions.choose_question() == "sweep"
    sweep = questions.choose_sweep() if sweeping else ""
    data = choose_data()
    error = 0 if sweeping else questions.choose_wanted(data.many if data else "records")
    measure = "" if sweeping else questions.choose_measure()
    mechanisms = questions.choose_mechanisms()
    inputs = choose_inputs(data, of_shape=True, kind_only=not sweeping)
    records = job.choose_records(inputs)
    setup = job.setup(inputs, records, job.choose_trials() if sweeping else 100)
    request = questions.request_of(setup, mechanisms, job.choose_options(), sweep, error, measure)
    pressed = job.button("Simulate" if sweeping else "Search", keys.widget("run_tradeoff"), inputs, request)
    links.show_link()

headline.markdown(job.headline(inputs))
links.write_link()

with answer, screen.answer():
    if sweeping:
        if request and (pressed or job.is_first(questions.SWEEP, data)):
            questions.start_sweep(request, state.next_seed() if pressed else None)
        job.show(questions.SWEEP, request, inputs, "Sweeping", "Simulate", results.show_sweep)
    else:
        if request and pressed:
            questions.start_search(request, state.next_seed())
        job.show(questions.WANTED, request, inputs, "Searching", "Search", results.show_search)

show_details(inputs)

screen.show_answer()
