"""What does privacy cost?"""

from pages import keys
from pages.compare import study
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details, why_incomplete
from pages.form.plan import choose_records
from pages.room import bar
from pages.shell import links, pieces, screen
from pages.shell.header import page_header
from pages.tradeoff import results, sweeps

headline = page_header("What does privacy cost?")
links.begin("tradeoff")
bar.bar()

form, answer = screen.halves()

with form, screen.controls():
    sweep = sweeps.choose_sweep()
    inputs = choose_inputs(choose_data(), of_shape=True)
    records = choose_records(inputs.brought)
    request = sweeps.swept(study.request_of(inputs, records), sweep)
    reason = why_incomplete(inputs.domain, request)
    pressed = pieces.primary_button("Simulate", keys.widget("run_tradeoff"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(inputs))
links.write_link()

with answer, screen.answer():
    seed = study.due_seed(sweeps.NAME, request, inputs, pressed=pressed)
    if request and seed is not None:
        sweeps.run(request, seed)
    study.show(sweeps.NAME, request, inputs, "Sweeping", "Simulate", results.show)

show_details(inputs)

screen.show_answer()
