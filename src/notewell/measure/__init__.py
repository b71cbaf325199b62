"""How good search is: judged queries, metrics, and running them through the whole line."""
