"""The verdict on each figure: the paper's number beside the one that the stored points come to."""
