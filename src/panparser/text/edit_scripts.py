"""The old place of `panparser.text.lemmatizer.edit_scripts`, until 1.0."""

from panparser.text.lemmatizer.edit_scripts import *  # noqa: F403
