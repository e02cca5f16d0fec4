"""The words of the table language, under a short name: `from panparser.terms import *` for systems of your own."""

from panparser.systems.terms import *  # noqa: F403
