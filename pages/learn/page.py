"""How does it work?"""

import streamlit as st

from pages.learn import course
from pages.learn import lesson as learn_lesson
from pages.room import bar, membership, teach
from pages.shell import links, screen
from pages.shell.header import page_header

headline = page_header("How does it work?")
links.begin("learn")
bar.bar()

presented, follows = screen.presented(), membership.attended() is not None
alone = not presented and not follows  # students of a room see what the lecturer shows, and nothing that leads away
rail, place = st.columns((19, 81), gap="medium") if alone else (st.container(), st.container())

with rail:
    lesson = learn_lesson.choose_lesson() if alone else learn_lesson.lesson_now()

with place:
    words, play = st.columns((38, 62), gap="medium")
    end, further = st.columns((62, 38), gap="medium")

with words:
    st.header(lesson.text.title, anchor=False)
    if not follows:
        st.markdown(lesson.text.words)
    predicted = learn_lesson.predict(lesson)

with play:
    seed = learn_lesson.show(lesson, revealed=predicted)

with end:
    if follows:  # whose phone shows the question first, and then the figure
        st.markdown(lesson.text.words)
    learn_lesson.check(lesson)

if alone:
    with further:
        learn_lesson.more(lesson, seed)
        with st.container(horizontal=True, gap="small"):
            teach.offer()
            screen.offer_to_present()
    if lesson.number == len(course.COURSE):
        with place:
            course.close()

if not follows:
    with place:
        learn_lesson.turn(lesson, presented=presented)
    headline.markdown(f":gray[{learn_lesson.progress()}]")
links.write_link()
