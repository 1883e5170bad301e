"""Names for people without an account: a colour and a bird, such as blue heron."""

from __future__ import annotations

from dpq_core.noise.exact import ExactEntropy

COLOURS = (
    "amber", "azure", "blue", "bronze", "coral", "crimson", "golden", "green", "grey", "indigo", "ivory", "jade",
    "lilac", "orange", "pearl", "purple", "red", "silver", "teal", "white",
)  # fmt: skip
BIRDS = (
    "bunting", "crane", "cuckoo", "curlew", "dove", "duck", "eagle", "falcon", "finch", "gannet", "goose", "grebe",
    "gull", "heron", "jay", "kestrel", "kite", "lark", "magpie", "martin", "owl", "plover", "puffin", "raven",
    "robin", "rook", "sparrow", "starling", "stork", "swallow", "swan", "swift", "tern", "thrush", "wagtail", "wren",
)  # fmt: skip


def new_name(taken: frozenset[str]) -> str:
    """Return a name that nobody has; there are 720, more than a room holds people."""
    free = [name for colour in COLOURS for bird in BIRDS if (name := f"{colour} {bird}") not in taken]
    return free[ExactEntropy().integer_below(len(free))]
