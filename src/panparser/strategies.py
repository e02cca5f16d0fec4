"""The old place of `panparser.learning.strategies`, until 1.0."""

from panparser.learning.strategies import *  # noqa: F403
