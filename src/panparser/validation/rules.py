"""The rules, by the names that the validator of Universal Dependencies gives them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What is expected of a file. A warning does not make a file invalid; after a fatal problem nothing more is
    checked in the sentence."""

    name: str
    level: int
    expected: str
    warning: bool = False
    fatal: bool = False


LEVEL_1 = (
    Rule("invalid-utf", 1, "UTF-8"),
    Rule("unicode-normalization", 1, "characters in normalization form C"),
    Rule("non-unix-newline", 1, "lines that end with a line feed alone"),
    Rule("invalid-line", 1, "a line that begins with a digit or #", fatal=True),
    Rule("misplaced-comment", 1, "comments before the first word of a sentence", fatal=True),
    Rule("pseudo-empty-line", 1, "a blank line without white space"),
    Rule("empty-sentence", 1, "words in each sentence, and one blank line after it", fatal=True),
    Rule("missing-empty-line", 1, "a blank line after the last sentence"),
    Rule("number-of-columns", 1, "10 columns separated by tabs", fatal=True),
    Rule("empty-column", 1, "a value or _ in each column"),
    Rule("invalid-whitespace", 1, "no white space in columns other than FORM, LEMMA and MISC"),
    Rule("invalid-whitespace-mwt", 1, "no white space in FORM and LEMMA of a multiword token"),
    Rule("leading-whitespace", 1, "no white space at the start of a column"),
    Rule("trailing-whitespace", 1, "no white space at the end of a column"),
    Rule("repeated-whitespace", 1, "one space at a time"),
    Rule("invalid-word-id", 1, "an ID such as 3, 3-4 or 3.1", fatal=True),
    Rule("word-id-sequence", 1, "words numbered 1, 2, 3, ...", fatal=True),
    Rule("misplaced-word-interval", 1, "a multiword token before its first word", fatal=True),
    Rule("reversed-word-interval", 1, "a multiword token that does not end before it begins", fatal=True),
    Rule("word-interval-out", 1, "a multiword token within the sentence", fatal=True),
    Rule("overlapping-word-intervals", 1, "multiword tokens that do not overlap", fatal=True),
    Rule(
        "misplaced-empty-node",
        1,
        "empty nodes 3.1, 3.2, ... after word 3, and before the multiword token that follows",
        fatal=True,
    ),
)
WORDS = (
    Rule("mwt-nonempty-field", 2, "_ in LEMMA to DEPS of a multiword token (but FEATS may be Typo=Yes)"),
    Rule("empty-node-nonempty-field", 2, "_ as HEAD and DEPREL of an empty node"),
    Rule("unknown-upos", 2, "one of the 17 universal tags as UPOS"),
    Rule("invalid-feature", 2, "a feature such as Case=Nom or Number[psor]=Plur,Sing"),
    Rule("unsorted-features", 2, "features in alphabetical order, whatever their case"),
    Rule("repeated-feature", 2, "each feature once"),
    Rule("unsorted-feature-values", 2, "the values of a feature in alphabetical order"),
    Rule("repeated-feature-value", 2, "each value of a feature once"),
    Rule("invalid-deprel", 2, "a DEPREL of lowercase letters, such as nsubj or nsubj:pass"),
    Rule("unknown-udeprel", 2, "one of the 37 universal relations as DEPREL, before its subtype"),
    Rule("invalid-edeprel", 2, "a relation in DEPS such as obl, obl:arg or nmod:instead_of:gen"),
    Rule("unknown-eudeprel", 2, "one of the 37 universal relations, or ref, in DEPS"),
    Rule("unsorted-deps", 2, "DEPS sorted by head"),
    Rule("unsorted-deps-2", 2, "relations to one head in alphabetical order"),
    Rule("repeated-deps", 2, "each relation to a head once"),
    Rule("repeated-misc", 2, "each of the attributes that UD defines for MISC once"),
    Rule("empty-misc", 2, "an attribute on both sides of each | in MISC", warning=True),
    Rule("empty-misc-key", 2, "a name before each = in MISC", warning=True),
    Rule("misc-extra-space", 2, "no space around the names and values of MISC", warning=True),
    Rule("misc-attr-typo", 2, "attributes of MISC as UD writes them", warning=True),
)
TREES = (
    Rule("invalid-head", 2, "a number as HEAD"),
    Rule("unknown-head", 2, "a word of the sentence, or 0, as HEAD"),
    Rule("head-self-loop", 2, "another word as HEAD"),
    Rule("multiple-roots", 2, "one word with HEAD 0"),
    Rule("non-tree", 2, "a tree: heads that lead to 0 from every word"),
    Rule("0-is-not-root", 2, "DEPREL root where HEAD is 0"),
    Rule("root-is-not-0", 2, "DEPREL root nowhere but where HEAD is 0"),
    Rule("invalid-deps", 2, "DEPS such as 2:nsubj|4:nsubj"),
    Rule("invalid-ehead", 2, "a head such as 4 or 4.1 in DEPS"),
    Rule("unknown-ehead", 2, "a word or an empty node of the sentence, or 0, as a head in DEPS"),
    Rule("deps-self-loop", 2, "another word as a head in DEPS"),
    Rule("unconnected-egraph", 2, "DEPS that lead to every word from 0"),
    Rule("edeps-only-sometimes", 2, "DEPS in all sentences, or in none"),
)
METADATA = (
    Rule("missing-sent-id", 2, "a comment # sent_id = ..."),
    Rule("invalid-sent-id", 2, "a sent_id without spaces, after ="),
    Rule("multiple-sent-id", 2, "one sent_id for each sentence"),
    Rule("non-unique-sent-id", 2, "a sent_id that no other sentence has"),
    Rule("slash-in-sent-id", 2, "at most one / in sent_id"),
    Rule("invalid-parallel-id", 2, "a parallel_id such as corpus/12, with /alt1, /part1 or /alt1part1 after it"),
    Rule("multiple-parallel-id", 2, "at most one parallel_id for each sentence"),
    Rule("non-unique-parallel-id", 2, "a parallel_id that no other sentence has"),
    Rule("parallel-id-alt", 2, "alternatives alt1, alt2, ... in a row, or none"),
    Rule("parallel-id-part", 2, "parts part1, part2, ... in a row, or none"),
    Rule("multiple-newdoc", 2, "at most one newdoc before a sentence"),
    Rule("multiple-newpar", 2, "at most one newpar before a sentence"),
    Rule("spaceafter-newdocpar", 2, "no SpaceAfter=No before a new document or paragraph"),
    Rule("missing-text", 2, "a comment # text = ..."),
    Rule("multiple-text", 2, "one text for each sentence"),
    Rule("empty-text", 2, "characters after # text ="),
    Rule("text-trailing-whitespace", 2, "no white space at the end of the text"),
    Rule("text-form-mismatch", 2, "forms as in the text"),
    Rule("text-extra-chars", 2, "no text after the last form"),
    Rule("missing-spaceafter", 2, "SpaceAfter=No where the text has no space"),
    Rule("spaceafter-value", 2, "no value of SpaceAfter but No"),
    Rule("nospaceafter-yes", 2, "SpaceAfter=No in place of NoSpaceAfter=Yes"),
    Rule("spaceafter-empty-node", 2, "no SpaceAfter=No at an empty node"),
    Rule("spaceafter-mwt-node", 2, "no SpaceAfter=No at a word of a multiword token"),
)
RULES = {rule.name: rule for rule in (*LEVEL_1, *WORDS, *TREES, *METADATA)}
