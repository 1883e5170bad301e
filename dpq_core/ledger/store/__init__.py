"""Where charges are stored: tables, transactions, and the chain that shows a lost or changed entry."""
