"""Features: templates and their language, word vectors."""

from panparser.features.atoms import Address as Address
from panparser.features.atoms import Atom as Atom
from panparser.features.templates import Template as Template
from panparser.features.templates import Templates as Templates
from panparser.features.templates import tagging_templates as tagging_templates
from panparser.features.vectors import WordVectors as WordVectors
from panparser.features.vectors import read_vectors as read_vectors

__all__: list[str]
