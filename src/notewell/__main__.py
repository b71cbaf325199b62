"""`python -m notewell` is the command line."""

from __future__ import annotations

from notewell.serve.cli import main

main()
