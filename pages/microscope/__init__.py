"""The microscope of the Inside page: two neighbouring data sets and the exact loss between them."""
