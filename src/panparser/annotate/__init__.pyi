"""Annotation: sessions, edits, the journal, completion, learning while annotating, the page."""

from panparser.annotate.effort import AnnotatorAgreement as AnnotatorAgreement
from panparser.annotate.effort import measure_agreement as measure_agreement
from panparser.annotate.effort import read_edits as read_edits
from panparser.annotate.next_sentence import ActiveSelection as ActiveSelection
from panparser.annotate.session import AnnotationSession as AnnotationSession
from panparser.annotate.start import tokenize_to_conllu as tokenize_to_conllu
from panparser.annotate.start import train_initial_parser as train_initial_parser

__all__: list[str]
