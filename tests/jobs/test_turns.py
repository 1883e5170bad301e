"""Whose turn it is: rules by visitor, and the gate for threads."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from dpq_core.jobs import turns as module
from dpq_core.jobs.turns import Gate, Turns, made_once
from tests.jobs.test_queue import wait


@dataclass(frozen=True)
class One:
    visitor: str
    wish: int = 0


MANY = [One("many", wish) for wish in range(4)]
OTHER = One("other")


def test_the_visitor_with_the_least_at_work_comes_first_and_then_who_was_served_longest_ago() -> None:
    turns = Turns()
    assert turns.first([], []) is None
    assert turns.first([*MANY, OTHER], []) is MANY[0]
    assert turns.first([*MANY, OTHER], [One("many")]) is OTHER
    turns.serve("many")
    assert turns.first([*MANY, OTHER], []) is OTHER
    turns.serve("other")
    assert turns.first([*MANY, OTHER], []) is MANY[0]


def test_the_order_is_that_in_which_all_come() -> None:
    turns = Turns()
    turns.serve("many")
    waiting = [*MANY, OTHER, One("third")]
    order = turns.in_order(waiting, [])
    assert order == [OTHER, One("third"), *MANY]
    assert order[0] is turns.first(waiting, [])
    assert turns.in_order([*MANY, OTHER], [One("other"), One("other")]) == [MANY[0], MANY[1], OTHER, *MANY[2:]]


def test_who_drops_wishes_comes_after_others_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    turns = Turns()
    turns.drop("many")
    turns.drop("many")
    turns.serve("other")
    assert turns.dropped("many") == 2
    assert turns.first([*MANY, OTHER], []) is OTHER
    now += module.DROPPED_SECONDS
    assert turns.dropped("many") == 0
    assert turns.first([*MANY, OTHER], []) is MANY[0]
    turns.drop("many")
    assert turns.dropped("many") == 1, "what was long ago is forgotten"
    now += module.REMEMBERED_SECONDS
    turns.serve("third")
    turns.drop("third")
    assert set(turns._served) == set(turns._dropped) == {"third"}


def never() -> bool:
    return False


def test_one_thread_works_at_a_time_and_a_visitor_with_many_waits_between_others() -> None:
    gate, order, go_on = Gate(1, 60), list[str](), threading.Event()

    def work(visitor: str) -> None:
        gate.enter(visitor, never)
        order.append(visitor)
        go_on.wait(60)
        gate.leave()

    with ThreadPoolExecutor(5) as threads:
        threads.submit(work, "many")
        wait(lambda: order == ["many"])
        for _ in range(3):
            threads.submit(work, "many")
        wait(lambda: len(gate._waiting) == 3)
        threads.submit(work, "one")
        wait(lambda: len(gate._waiting) == 4)
        assert order == ["many"]
        go_on.set()
    assert order == ["many", "one", "many", "many", "many"]
    assert not gate._inside


@pytest.mark.parametrize("ends", ["unwanted", "over time", "thread ends"])
def test_nobody_waits_for_a_turn_for_ever(ends: str) -> None:
    gate = Gate(1, 0.2 if ends == "over time" else 600)
    go_on = threading.Event()

    def hold() -> bool:
        gate.enter("first", never)
        return ends == "thread ends" or go_on.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    wait(lambda: bool(gate._inside) or not thread.is_alive())
    gate.enter("second", lambda: ends == "unwanted")
    assert gate.is_inside
    go_on.set()
    thread.join()


def test_a_thread_gives_up_its_turn_when_it_asks_for_another() -> None:
    gate = Gate(1, 600)
    gate.enter("a", never)
    gate.enter("a", never)
    gate.leave()
    gate.leave()
    assert not gate.is_inside


class Lazy:
    """Something that waits until the other one was asked."""

    def __init__(self, mine: threading.Event, other: threading.Event) -> None:
        self.mine, self.other, self.made = mine, other, 0

    @made_once
    def answer(self) -> bool:
        """Whether the other one is being made meanwhile."""
        self.made += 1
        self.mine.set()
        return self.other.wait(10)


def test_what_is_made_once_holds_up_no_other_object_of_its_class() -> None:
    """Of two visitors whose forms were judged at once, one waited for its turn, and the other one for that one."""
    first, second = threading.Event(), threading.Event()
    both = Lazy(first, second), Lazy(second, first)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda one: one.answer, both)) == [True, True]
    assert [(one.answer, one.made) for one in both] == [(True, 1)] * 2
