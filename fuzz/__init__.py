"""Damaged and hostile inputs for every reader: `python -m fuzz --help`."""
