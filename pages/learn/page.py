"""How does it work?"""

import streamlit as st

from pages.learn import course
from pages.room import bar, membership
from pages.shell import links, screen

headline = bar.begin("learn", "How does it work?")

presented, follows = screen.presented(), membership.attended() is not None
alone = not presented and not follows  # students of a room see what the lecturer shows, and nothing that leads away
rail, place = st.columns((19, 81), gap="medium") if alone else (st.container(), st.container())

with rail:
    lesson = course.choose_lesson() if alone else course.lesson_now()

with place:
    words, play = st.columns((38, 62), gap="medium")
    end, further = st.columns((62, 38), gap="medium")

with words:
    st.header(lesson.text.title, anchor=False)
    if not follows:
        st.markdown(lesson.text.words)
    predicted = course.predict(lesson)

with play:
    seed = course.show(lesson, revealed=predicted)

with end:
    if follows:  # whose phone shows the question first, and then the figure
        st.markdown(lesson.text.words)
    course.check(lesson)

if alone:
    with further:
        course.more(lesson, seed)
        with st.container(horizontal=True, gap="small"):
            bar.offer_room()
            screen.offer_to_present()
    if lesson.number == len(course.COURSE):
        with place:
            course.close()

if not follows:
    with place:
        course.turn(lesson)
    headline.markdown(f":gray[{course.progress()}]")
links.write_link()
