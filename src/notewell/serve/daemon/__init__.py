"""A process that stays behind commands, so that the next one finds everything open and loaded."""
