"""Which mechanism suits my data?"""

from pages import keys
from pages.compare import leaderboard, study
from pages.form import details
from pages.form.form import draw_form
from pages.room import bar
from pages.shell import links, pieces, screen

headline = bar.begin("compare", "Which mechanism suits my data?")

controls, answer = screen.halves()

with controls, screen.controls():
    form = draw_form()
    request = study.request_of(form, trouble=leaderboard.choose_trouble())
    reason = form.why_incomplete(request)
    pressed = pieces.primary_button("Compare", keys.widget("run_compare"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(form))
links.write_link()

with answer, screen.answer():
    of_page = leaderboard.run, leaderboard.show
    study.show(leaderboard.NAME, request, form, "Comparing mechanisms", "Compare", *of_page, pressed=pressed)

details.show(form)

screen.show_answer()
