"""Training of networks; the only package that imports torch."""
