"""Small things that every package uses: types, checks, kinds of values, threads, progress."""
