"""Validation: the rules of CoNLL-U and Universal Dependencies, levels 1 and 2."""

from panparser.validation.validator import ValidationReport as ValidationReport
from panparser.validation.validator import validate as validate

__all__: list[str]
