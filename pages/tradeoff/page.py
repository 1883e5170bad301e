"""What does privacy cost?"""

from pages import keys
from pages.compare import study
from pages.form import details
from pages.form.form import draw_form, why_incomplete
from pages.room import bar
from pages.shell import links, pieces, screen
from pages.shell.header import page_header
from pages.tradeoff import results, sweeps

headline = page_header("What does privacy cost?")
links.begin("tradeoff")
bar.bar()

controls, answer = screen.halves()

with controls, screen.controls():
    sweep = sweeps.choose_sweep()
    form = draw_form(one_mechanism=False, with_intervals=False, may_find=False)
    request = sweeps.swept(study.request_of(form), sweep)
    reason = why_incomplete(form.domain, request)
    pressed = pieces.primary_button("Simulate", keys.widget("run_tradeoff"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(form))
links.write_link()

with answer, screen.answer():
    seed = study.due_seed(sweeps.NAME, request, form, pressed=pressed)
    if request and seed is not None:
        sweeps.run(request, seed)
    study.show(sweeps.NAME, request, form, "Sweeping", "Simulate", results.show)

details.show(form)

screen.show_answer()
