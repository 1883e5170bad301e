"""The address that several columns had when they were a page of their own: it leads to Quantiles."""

from pages.frame import links

links.lead_on("columns")
