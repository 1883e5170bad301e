"""How a page shows what was simulated or released: of one column, of groups, of several columns."""
