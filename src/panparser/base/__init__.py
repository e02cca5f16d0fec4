"""Basics of all packages: array types, checks of arguments, kinds of values, threads, random numbers."""
