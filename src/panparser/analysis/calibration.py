"""The old place of `panparser.analysis.tables.calibration`, until 1.0."""

from panparser.analysis.tables.calibration import *  # noqa: F403
