"""Values that the stages hand on, frozen: notes, queries, candidates, results and notices."""
