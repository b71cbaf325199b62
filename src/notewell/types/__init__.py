"""What the stages hand to each other, frozen: notes, queries and results."""
