"""Studies: simulations and what is learnt from them. Private, or made from public data; never a release."""
