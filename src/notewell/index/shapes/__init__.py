"""The shapes of texts, a module each: how a text is parsed, and where it is cut into chunks."""
