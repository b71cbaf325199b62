"""What stores in SQL tables share: rows, posting lists, arrays over all chunks, matching and links.

An engine, `sqlite` or `postgres`, brings its connections, its statements (`reader.py` has their names) and its way of
writing.
"""
