"""Every error that panparser raises on purpose, and its warnings.

PanParserError
├── SpecError (ValueError)                a value that a user wrote wrongly: a specification, a recipe, an option
│   ├── DeclarationError                  a malformed declaration of a transition system
│   ├── TemplateError                     a malformed feature template
│   ├── StrategyError                     a malformed training strategy
│   ├── UnknownSystemError (LookupError)  no transition system of that name
│   └── AnalysisError                     an invalid criterion, expression or table of an analysis
├── TreebankError (ValueError)            data that cannot be used: values, texts, vectors, treebanks that do not match
│   ├── GoldError                         a malformed gold tree: cycle, head out of range, wrong length
│   ├── TextError                         a text that cannot be read, or is not divided as it should be
│   ├── VectorError                       a file, or a value, that does not hold word vectors
│   └── AlignmentError                    a file of alignments that cannot be read, or does not fit its sentences
├── ConlluError (ValueError)              a file that is not well-formed CoNLL-U or CoNLL-X
├── ModelError (ValueError)               a file that is not a model, or a damaged one
├── ConstraintError (ValueError)          constraints that no tree of the system satisfies, or malformed ones
├── DecodingError (ValueError)            scores of the wrong shape, or that allow no tree
├── IllegalTransitionError (ValueError)   a transition that the state does not allow
├── NoLegalTransitionError (RuntimeError)  a state that is not final and allows no transition
├── BatchError (ValueError)               an array of the wrong type or shape, or a number out of range, in a batch
├── AnnotationError (ValueError)          an edit that a sentence does not allow, or a file that cannot be annotated
│   └── StaleEditError                    an edit on a sentence that has changed since it was shown
├── JournalError (ValueError)             a journal of annotation that is damaged, or of another file
└── ProofError (AssertionError)           `check_system` found a counter-example

ConlluWarning (UserWarning)               a harmless problem in a file
TagWarning (UserWarning)                  words with tags that a model never saw in training
ResultWarning (UserWarning)               the outcome of a grid's run cannot be read
"""

from __future__ import annotations


class PanParserError(Exception):
    """Base of all errors below; the message is meant for people."""


class SpecError(PanParserError, ValueError):
    """An invalid parser specification, recipe or training option."""


class DeclarationError(SpecError):
    """A malformed declaration; the message points at the word that is wrong."""


class TemplateError(SpecError):
    """A malformed feature template; the message shows its line and points at the word that is wrong."""


class StrategyError(SpecError):
    """A malformed training strategy."""


class UnknownSystemError(SpecError, LookupError):
    """No transition system of that name."""


class AnalysisError(SpecError):
    """An unknown criterion, an expression that cannot be read, a table that cannot be made."""


class TreebankError(PanParserError, ValueError):
    """A value that a treebank cannot hold, or treebanks that do not match."""


class GoldError(TreebankError):
    """A malformed reference."""


class TextError(TreebankError):
    """A text that cannot be read (the message names file and byte), or is not divided as it should be."""


class VectorError(TreebankError):
    """A file, or a value, that does not hold vectors of words."""


class AlignmentError(TreebankError):
    """A file of links between words that cannot be read, or links that do not fit their sentences."""


class ConlluError(PanParserError, ValueError):
    """A file that is not well-formed; the message names file, line, what was expected and what was found.

    `problems`: their number; the message describes the first.
    """

    def __init__(self, message: str, problems: int = 1) -> None:
        super().__init__(message)
        self.problems = problems

    def __reduce__(self) -> tuple[type[ConlluError], tuple[str, int]]:
        return type(self), (str(self), self.problems)


class ModelError(PanParserError, ValueError):
    """A file that is not a model, is damaged, or has another format."""


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


class AnnotationError(PanParserError, ValueError):
    """An edit that a sentence does not allow, or a file that cannot be annotated."""


class StaleEditError(AnnotationError):
    """An edit on a sentence that has changed since it was shown, for example in another window."""


class JournalError(PanParserError, ValueError):
    """A journal of annotation that is damaged, that belongs to another file, or that cannot be written."""


class ProofError(PanParserError, AssertionError):
    """A property that `check_system` proves does not hold; the message draws the smallest counter-example."""


class ConlluWarning(UserWarning):
    """A problem of a file that hurts nothing: it was read all the same. The message is as that of ConlluError."""


class TagWarning(UserWarning):
    """Words have tags that a model never saw in training: they are parsed, but do not expect much."""


class ResultWarning(UserWarning):
    """A file, or a line of one, that should say what came of a run of a grid is damaged: the run is not finished."""
