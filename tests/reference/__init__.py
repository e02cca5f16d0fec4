"""Slow references, which the engine and the rest of the package are compared with."""
