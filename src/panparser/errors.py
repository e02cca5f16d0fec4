"""Every error that panparser raises on purpose, and its warnings.

PanParserError
├── TableError (ValueError)           a malformed declaration of a transition system
├── TemplateError (ValueError)        a malformed feature template
├── StrategyError (ValueError)        a malformed training strategy
├── SpecError (ValueError)            an invalid parser specification, recipe or training option
├── ModelError (ValueError)           a file that is not a model, or a damaged one
├── UnknownSystemError (LookupError)  no transition system of that name
├── GoldError (ValueError)            a malformed reference: cycle, head out of range, wrong length
├── ConstraintError (ValueError)      constraints that no tree of the system keeps, or that are malformed
├── DecodingError (ValueError)        scores of the wrong form, or that allow no tree
├── IllegalTransitionError (ValueError)  a transition that the state does not allow
├── StuckError (RuntimeError)         a state that is not final and allows no transition
├── BatchError (ValueError)           an array of the wrong type or shape, or a number out of range, in a batch
├── ConlluError (ValueError)          a file that is not well-formed CoNLL-U or CoNLL-X
├── TreebankError (ValueError)        a value that a treebank cannot hold; treebanks that do not match
├── AnalysisError (ValueError)        an invalid criterion, expression or table of an analysis
├── VectorsError (ValueError)         a file, or a value, that does not hold vectors of words
├── LinksError (ValueError)           a file of links between words that cannot be read, or does not fit its sentences
├── TextError (ValueError)            a text that cannot be read, or is not divided as it should be
├── AnnotationError (ValueError)      an edit that a sentence does not allow, or a file that cannot be annotated
│   └── StaleEditError                an edit on a sentence that has changed since it was shown
├── JournalError (ValueError)         a journal of annotation that is damaged, or of another file
└── CheckFailed (AssertionError)      `check_system` found a counter-example

ConlluWarning (UserWarning)           a problem of a file that hurts nothing
TagWarning (UserWarning)              words with tags that a model never saw in training
ResultWarning (UserWarning)           what came of a run of a grid cannot be read
"""

from __future__ import annotations


class PanParserError(Exception):
    """Base of all errors below; the message is meant for people."""


class DeclarationError(PanParserError, ValueError):
    """A malformed declaration; the message points at the word that is wrong."""


class TemplateError(PanParserError, ValueError):
    """A malformed feature template; the message shows its line and points at the word that is wrong."""


class StrategyError(PanParserError, ValueError):
    """A malformed training strategy."""


class SpecError(PanParserError, ValueError):
    """An invalid parser specification, recipe or training option."""


class ModelError(PanParserError, ValueError):
    """A file that is not a model, is damaged, or has another format."""


class UnknownSystemError(PanParserError, LookupError):
    """No transition system of that name."""


class GoldError(PanParserError, ValueError):
    """A malformed reference."""


class ConstraintError(PanParserError, ValueError):
    """Constraints that no tree of the system keeps, with the smallest set that excludes all; or malformed ones."""


class DecodingError(PanParserError, ValueError):
    """Scores of the wrong form, or that allow no tree."""


class IllegalTransitionError(PanParserError, ValueError):
    """A transition that the state does not allow."""


class NoLegalTransitionError(PanParserError, RuntimeError):
    """A state that is not final and allows no transition."""


class BatchError(PanParserError, ValueError):
    """An array of the wrong type or shape, or with a number out of range, given to a batch of states."""


class ConlluError(PanParserError, ValueError):
    """A file that is not well-formed; the message names file, line, what was expected and what was found.

    `problems`: their number; the message describes the first.
    """

    def __init__(self, message: str, problems: int = 1) -> None:
        super().__init__(message)
        self.problems = problems

    def __reduce__(self) -> tuple[type[ConlluError], tuple[str, int]]:
        return type(self), (str(self), self.problems)


class ConlluWarning(UserWarning):
    """A problem of a file that hurts nothing: it was read all the same. The message is as that of ConlluError."""


class TagWarning(UserWarning):
    """Words have tags that a model never saw in training: they are parsed, but do not expect much."""


class ResultWarning(UserWarning):
    """A file, or a line of one, that should say what came of a run of a grid is damaged: the run is not finished."""


class TreebankError(PanParserError, ValueError):
    """A value that a treebank cannot hold, or treebanks that do not match."""


class AnalysisError(PanParserError, ValueError):
    """An unknown criterion, an expression that cannot be read, a table that cannot be made."""


class VectorError(PanParserError, ValueError):
    """A file, or a value, that does not hold vectors of words."""


class AlignmentError(PanParserError, ValueError):
    """A file of links between words that cannot be read, or links that do not fit their sentences."""


class TextError(PanParserError, ValueError):
    """A text that cannot be read (the message names file and byte), or is not divided as it should be."""


class AnnotationError(PanParserError, ValueError):
    """An edit that a sentence does not allow, or a file that cannot be annotated."""


class StaleEditError(AnnotationError):
    """An edit on a sentence that has changed since it was shown, for example in another window."""


class JournalError(PanParserError, ValueError):
    """A journal of annotation that is damaged, that belongs to another file, or that cannot be written."""


class ProofError(PanParserError, AssertionError):
    """A property that `check_system` proves does not hold; the message draws the smallest counter-example."""
