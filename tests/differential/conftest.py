"""Comparisons with slow references."""

from __future__ import annotations


def pytest_itemcollected(item):
    item.add_marker("unmeasured")
