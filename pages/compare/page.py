"""Which mechanism suits my data?"""

from pages import keys
from pages.compare import leaderboard, study
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details, why_incomplete
from pages.form.plan import choose_records
from pages.room import bar
from pages.shell import links, pieces, screen
from pages.shell.header import page_header

headline = page_header("Which mechanism suits my data?")
links.begin("compare")
bar.bar()

form, answer = screen.halves()

with form, screen.controls():
    inputs = choose_inputs(choose_data(), of_shape=True, with_intervals=True, may_find=True)
    records = choose_records(inputs.brought)
    request = study.request_of(inputs, records, trouble=leaderboard.choose_trouble())
    reason = why_incomplete(inputs.domain, request)
    pressed = pieces.primary_button("Compare", keys.widget("run_compare"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(inputs))
links.write_link()

with answer, screen.answer():
    seed = study.due_seed(leaderboard.NAME, request, inputs, pressed=pressed)
    if request and seed is not None:
        leaderboard.run(request, seed)
    study.show(leaderboard.NAME, request, inputs, "Comparing mechanisms", "Compare", leaderboard.show)

show_details(inputs)

screen.show_answer()
