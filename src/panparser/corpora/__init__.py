"""Corpora: many or large files parsed by several processes."""
