"""How a command ends that its user stopped."""


class Stopped(Exception):
    """The user stopped a run; what was done is kept, and was said."""
