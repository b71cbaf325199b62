"""`python -m notewell` is the command line."""

from notewell.serve.daemon.client import main

main()
