"""`python -m notewell` is the command line."""

from notewell.serve.warm.client import main

main()
