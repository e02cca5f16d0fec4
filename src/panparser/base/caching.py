"""`cached_property` without a lock, which is safe after fork."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if not TYPE_CHECKING and sys.version_info < (3, 12):

    class cached_property(cached_property):  # noqa: N801 - as in functools
        """As from Python 3.12 on: no lock, which a process that forks while another thread holds it would wait for."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            values = instance.__dict__
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
