"""How does it work?"""

import streamlit as st

from pages import class_views, learn
from pages.frame import links, page_header, screen

headline = page_header("How does it work?")
links.begin("learn")
class_views.bar()

presented = screen.presented()
rail, place = (st.container(), st.container()) if presented else st.columns((19, 81), gap="medium")

with rail:
    lesson = learn.lesson_now() if presented else learn.choose_lesson()

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

if not presented:
    with further:
        learn.more(lesson, seed)
        class_views.ask_for_code()
        screen.offer_to_present()
    with place:
        learn.closing.show(lesson)
        learn.exercises.show(lesson)

with place:
    learn.turn(lesson, presented=presented)

headline.markdown(f":gray[{learn.progress()}]")
links.write_link()
