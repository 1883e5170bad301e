"""How does it work?"""

import streamlit as st

from dpq_core.ui import learn, lectern
from dpq_core.ui.shell import links, page_header

headline = page_header("How does it work?")
links.begin("learn")
lectern.bar()

lesson = learn.choose_lesson()

words, play = st.columns((38, 62), gap="large")

with words:
    learn.tell(lesson)
    predicted = learn.predict(lesson)

with play:
    setting = learn.move(lesson)
    seed = learn.show(lesson, setting, revealed=predicted)

end, further = st.columns((62, 38), gap="large")

with end:
    learn.check(lesson)

with further:
    learn.more(lesson, seed)
    lectern.ask_for_code()

learn.closing.show(lesson)
learn.turn(lesson)
headline.markdown(f":gray[{learn.progress()}]")
links.write_link()
