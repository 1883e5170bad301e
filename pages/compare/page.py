"""Which mechanism suits my data?"""

from pages import keys
from pages.compare import leaderboard, study
from pages.form import details
from pages.form.form import draw_form, why_incomplete
from pages.room import bar
from pages.shell import links, pieces, screen
from pages.shell.header import page_header

headline = page_header("Which mechanism suits my data?")
links.begin("compare")
bar.bar()

controls, answer = screen.halves()

with controls, screen.controls():
    form = draw_form()
    request = study.request_of(form, trouble=leaderboard.choose_trouble())
    reason = why_incomplete(form.domain, request)
    pressed = pieces.primary_button("Compare", keys.widget("run_compare"), ":material/query_stats:", reason)
    links.show_link()

headline.markdown(study.headline(form))
links.write_link()

with answer, screen.answer():
    of_page = leaderboard.run, leaderboard.show
    study.show(leaderboard.NAME, request, form, "Comparing mechanisms", "Compare", *of_page, pressed=pressed)

details.show(form)

screen.show_answer()
