"""The benches: what Notewell costs and finds, beside its peers and against its targets."""
