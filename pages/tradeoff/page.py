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
    sweep = questions.choose_sweep()
    data = choose_data()
    mechanisms = questions.choose_mechanisms()
    inputs = choose_inputs(data, of_shape=True)
    setup = job.setup(inputs, job.choose_records(inputs), job.choose_trials())
    request = questions.request_of(setup, mechanisms, job.choose_options(), sweep)
    pressed = job.button("Simulate", keys.widget("run_tradeoff"), inputs, request)
    links.show_link()

headline.markdown(job.headline(inputs))
links.write_link()

with answer, screen.answer():
    if request and (pressed or job.is_first(questions.SWEEP, data)):
        questions.start_sweep(request, state.next_seed() if pressed else None)
    job.show(questions.SWEEP, request, inputs, "Sweeping", "Simulate", results.show_sweep)

show_details(inputs)

screen.show_answer()
