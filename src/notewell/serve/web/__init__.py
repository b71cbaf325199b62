"""The page in a browser: its files, the notes as HTML, and their images."""
