"""The old place of `panparser.treebank.edit_scripts`, until 1.0."""

from panparser.treebank.edit_scripts import *  # noqa: F403
