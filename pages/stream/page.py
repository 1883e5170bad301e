"""What if the data does not fit into memory?"""

from pages.room import bar
from pages.shell import links, pieces, screen
from pages.stream import run, sources

headline = bar.begin("stream", "What if the data does not fit into memory?")

form, answer = screen.halves()

with form, screen.controls():
    source = sources.choose_source()
    settings = run.choose_settings(source)
    starts = run.choose_run(source, settings)
    links.show_link()

headline.markdown(pieces.headline(source.data if source else None, run.PROTECTS, pieces.NOT_PRIVATE))
links.write_link()

with answer, screen.answer():
    if source and settings and starts:
        run.start(source, settings)
    run.show(source, settings)

screen.show_answer()
