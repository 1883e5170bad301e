"""Which mechanism suits my data?"""

from pages import keys
from pages.class_views import bar
from pages.compare import advice, leaderboard
from pages.form.data import choose_data
from pages.form.inputs import choose_inputs, show_details
from pages.frame import links, screen, state
from pages.frame.header import page_header
from pages.studies import job

headline = page_header("Which mechanism suits my data?")
links.begin("compare")
bar.bar()

form, answer = screen.halves()

with form, screen.controls():
    inputs = choose_inputs(choose_data(), of_shape=True, with_intervals=True, may_find=True)
    records = job.choose_records(inputs)
    trouble = leaderboard.choose_trouble()
    trials = job.choose_trials()
    request = leaderboard.request_of(job.setup(inputs, records, trials), trouble, job.choose_options())
    pressed = job.button("Compare", keys.widget("run_compare"), inputs, request)
    links.show_link()

headline.markdown(job.headline(inputs))
links.write_link()

with answer:
    advice.show(request)

with answer, screen.answer():
    if request and (pressed or job.is_first(leaderboard.NAME, inputs.brought)):
        leaderboard.draw(request, state.next_seed() if pressed else None)
    job.show(leaderboard.NAME, request, inputs, leaderboard.DOING, "Compare", leaderboard.show)

show_details(inputs)

screen.show_answer()
