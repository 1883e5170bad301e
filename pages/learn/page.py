"""How does it work?"""

import streamlit as st

from pages import learn, lectern
from pages.frame import links, page_header

headline = page_header("How does it work?")
links.begin("learn")
lectern.bar()

rail, place = st.columns((19, 81), gap="medium")

with rail:
    lesson = learn.choose_lesson()

with place:
    words, play = st.columns((38, 62), gap="medium")
    end, further = st.columns((62, 38), gap="medium")

with words:
    learn.tell(lesson)
    predicted = learn.predict(lesson)

with play:
    setting = learn.move(lesson)
    seed = learn.show(lesson, setting, revealed=predicted)

with end:
    learn.check(lesson)

with further:
    learn.more(lesson, seed)
    lectern.ask_for_code()

with place:
    learn.closing.show(lesson)
    learn.exercises.show(lesson)
    learn.turn(lesson)

headline.markdown(f":gray[{learn.progress()}]")
links.write_link()
