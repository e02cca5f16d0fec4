"""`panparser annotate` in a browser: one file, one page, one person at this machine."""
