"""How does it work?"""

import streamlit as st

from pages.class_views import bar, students
from pages.frame import links, screen
from pages.frame.header import page_header
from pages.learn import closing
from pages.learn import lesson as learn_lesson

headline = page_header("How does it work?")
links.begin("learn")
bar.bar()

presented = screen.presented()
rail, place = (st.container(), st.container()) if presented else st.columns((19, 81), gap="medium")

with rail:
    lesson = learn_lesson.lesson_now() if presented else learn_lesson.choose_lesson()

with place:
    words, play = st.columns((38, 62), gap="medium")
    end, further = st.columns((62, 38), gap="medium")

with words:
    learn_lesson.tell(lesson)
    predicted = learn_lesson.predict(lesson)

with play:
    setting = learn_lesson.move(lesson)
    seed = learn_lesson.show(lesson, setting, revealed=predicted)

with end:
    learn_lesson.check(lesson)

if not presented:
    with further:
        learn_lesson.more(lesson, seed)
        students.ask_for_code()
        screen.offer_to_present()
    with place:
        closing.show(lesson)

with place:
    learn_lesson.turn(lesson, presented=presented)

headline.markdown(f":gray[{learn_lesson.progress()}]")
links.write_link()
