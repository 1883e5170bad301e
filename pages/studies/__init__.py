"""What Compare and Trade-off share: a study, its job and its files."""

from . import exports
from .job import (
    Setup,
    StudyRequest,
    button,
    choose_records,
    choose_trials,
    clearly_worse,
    fails_otherwise,
    finished,
    headline,
    is_first,
    reason_of,
    runs_failed,
    seeded,
    setup,
    show,
    start,
    tuned,
)
from .subjects import Subject, methods, subject_of_trouble, widened, with_option

__all__ = [
    "Setup",
    "StudyRequest",
    "Subject",
    "button",
    "choose_records",
    "choose_trials",
    "clearly_worse",
    "exports",
    "fails_otherwise",
    "finished",
    "headline",
    "is_first",
    "methods",
    "reason_of",
    "runs_failed",
    "seeded",
    "setup",
    "show",
    "start",
    "subject_of_trouble",
    "tuned",
    "widened",
    "with_option",
]
