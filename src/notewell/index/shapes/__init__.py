"""The shapes that texts have, a module each: what a text says of itself, and where it is cut into chunks."""
