"""The papers' figures and tables, recomputed: specification, computation and judgement of each."""
