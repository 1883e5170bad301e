"""What does privacy cost?"""

from pages import keys
from pages.compare import study
from pages.form import details
from pages.form.form import draw_form
from pages.room import bar
from pages.shell import links, pieces, screen
from pages.tradeoff import sweeps

headline = bar.begin("tradeoff", "What does privacy cost?")

controls, answer = screen.halves()

with controls, screen.controls():
    sweep = sweeps.choose_sweep()
    form = draw_form()
    request = sweeps.swept(study.request_of(form), sweep)
    reason = form.why_incomplete(request)
    pressed = pieces.primary_button("Simulate", keys.widget("run_tradeoff"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(form))
links.write_link()

with answer, screen.answer():
    study.show(sweeps.NAME, request, form, "Sweeping", "Simulate", sweeps.run, sweeps.show, pressed=pressed)

details.show(form)

screen.show_answer()
