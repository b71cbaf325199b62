"""Benchmarks: the speed and quality of Notewell, compared with its peers and its targets."""
