"""Advice: which mechanism suits a question, ranked by simulation on public shapes; no data is read."""
