"""The old place of `panparser.systems.terms`, until 1.0."""

from panparser.systems.terms import *  # noqa: F403
