"""The old place of `panparser.features.reading`, until 1.0."""

from panparser.features.reading import *  # noqa: F403
