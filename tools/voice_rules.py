"""Wordings that the style rules out, as data for check_voice.py: where, which, and what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Names that look like hits, with the reason why they are right.
FIELD_WORDS = {
    "at_least at_most": "comparisons",
    "expected predicted": "what a test or a metric compares",
    "labeled unlabeled lexicalized delexicalized projectivized annotated tagged": "adjectives of parsing",
    "weighted averaged smoothed normalized": "adjectives of numbers",
    "sorted reversed cached merged skipped encoded decoded parsed quoted": "words of Python and its libraries",
    "seed speed feed shed embed": "nouns and verbs",
    "wait": "as in threading.Event",
    "main run repr_html": "targets of threads, and hooks",
}

PROSE = "function-doc value-doc comment string help option-help page test"


@dataclass(frozen=True)
class Rule:
    """A pattern that is ruled out in some kinds of text, and what to write instead."""

    kinds: frozenset[str]
    pattern: re.Pattern[str]
    instead: str


def rule(kinds: str, pattern: str, instead: str, *, ignore_case: bool = True) -> Rule:
    """Return a rule in which a space of the pattern matches any white space."""
    spaced = pattern.replace(" ", r"\s+")
    return Rule(frozenset(kinds.split()), re.compile(spaced, re.IGNORECASE if ignore_case else 0), instead)


IRREGULAR = (
    "found|known|given|kept|seen|shown|chosen|said|heard|meant|made|done|held|lost|taken|put|gone|met|understood|"
    "spoken|told|written|drawn|broken|begun|left_over|left_out"
)
CLASS_METAPHORS = (
    "Advice|Among|Bags|Ballot|Both|By|Child|Doubts|Either|Exchange|Goal|Guard|House|Instead|Judge|Last|Letters|Live|Marks|"
    "Maybe|Meaning|New|Occlusions|Place|Plain|Question|Rest|Round|Seam|Sharing|Sight|Stop|Watch|Way|Witness"
)
THIRD_PERSON = (
    "Add|Annotate|Answer|Applie|Ask|Begin|Call|Check|Choose|Close|Compare|Compute|Continue|Convert|Copie|Count|Create|Decide|"
    "Divide|Draw|End|Fill|Find|Follow|Forget|Give|Goe|Join|Judge|Keep|Learn|Leave|Let|Limit|List|Load|Look|Lower|Make|Mark|"
    "Move|Notifie|Open|Parse|Print|Prove|Put|Raise|Read|Remove|Replace|Restore|Return|Run|Save|Say|Score|Send|Set|Show|Sort|"
    "Start|Step|Stop|Take|Tell|Test|Train|Trie|Turn|Undoe|Update|Wait|Walk|Warn|Write|Yield"
)
PREDICATE = (
    "is|has|have|can|should|must|may|needs|uses|allows|accepts|supports|contains|exists|are|was|matches|equals|includes|"
    "reads|covers|fits|differs"
)
DIMENSION = (
    "MAX|MIN|DEFAULT|NUM|N|SIZE|SECONDS|MS|BYTES|BITS|WORDS|SENTENCES|CHARS|COUNT|LIMIT|LENGTH|WIDTH|RATE|FORMAT|VERSION|SEED|"
    "PORT|RATIO|SHARE|EPSILON|TOLERANCE|THRESHOLD|STEPS|STRIDE|CODE|BATCH|ROWS|SAMPLES|DIGITS|BLOCK"
)
RULES = {
    # Docstrings
    "doc-question-word": rule(
        "function-doc value-doc",
        r"\A(?:What|Who|Whoever|Whatever|Where|How|Why|When|Which|Those|That|Whose)\b",
        "function: an imperative verb (Return, Yield, Write); class, property, module: a noun phrase",
        ignore_case=False,
    ),
    "doc-yes-no": rule(
        "function-doc value-doc",
        r"\A(?:Is|Are|Was|Were|Does|Do|Did|Has|Have|May|Must|Can|Should)\b[^.]*\?",
        "Return whether …",
    ),
    "doc-third-person": rule(
        "function-doc", rf"\A(?:{THIRD_PERSON})e?s\b", "the imperative: Return, not Returns", ignore_case=False
    ),
    # Prose
    "came-of": rule(
        PROSE,
        r"\b(?:what|that|which) (?:came|comes|became|becomes) of\b|\bwhat has become\b|\bcomes? of (?:it|that|each)\b",
        "the outcome, the result of …",
    ),
    "tell": rule(PROSE, r"\b(?:tells?|telling|told|untold)\b", "report, show, return, notify, indicate"),
    "say": rule(PROSE, r"\b(?:says?|said|saying)\b", "specify, state, declare, print"),
    "hear": rule(PROSE, r"\b(?:hears?|heard)\b", "receive, handle"),
    "want": rule(
        PROSE,
        r"\bwants?\b|\bwanted\b|\bwishe?[sd]?\b|\b(?:is|are|was|were) asked\b|\basked for\b|\blook(?:s|ed)? at\b",
        "need, require, request, read: a program has no wishes",
    ),
    "persons": rule(PROSE, r"\b(?:nobody|somebody|whoever|whomever|everybody)\b", "name the component: caller, server"),
    "whatever": rule(PROSE, r"\b(?:what|who|when|how|which|where)(?:ever|soever)\b(?<!however)", "any …, every …"),
    "so-many": rule(PROSE, r"\b(?:so|(?<!well\s)as) many\b(?! (?:\w+ )?as\b)", "the number: N words, at most N"),
    "goes-on": rule(PROSE, r"\b(?:go|goes|went|gone|going) on\b", "continue, resume"),
    "anew": rule(PROSE, r"\banew\b", "again, from scratch"),
    "those-of": rule(PROSE, r"\b(?:that|those) (?:of|in|with|without|to|from|by|on)\b", "repeat the noun"),
    "of-it": rule(
        PROSE,
        r"\b(?:all|half|part|rest|some|none|much|more) of it\b|\b(?:is|was|comes|made) of it\b|\btells? of\b",
        "repeat the noun",
    ),
    "there-is-none": rule(
        PROSE,
        r"\bthere (?:is|are|was|were) (?:none|but)\b|\bif there (?:is|are) (?:any|one|some|none)\b",
        "repeat the noun: if no file exists",
    ),
    "what-is": rule(
        PROSE,
        r"\bwhat (?:is|are|was|were|it|they|has|have|had|may|must|can|should|would|do|does|did|an?|the|each|there)\b",
        "name the thing: the options, the result, the error",
    ),
    "negated-generality": rule(
        PROSE,
        r"\ball the same\b|\bnothing but\b|\bno more than\b|\bnone but\b|\bas it (?:is|was)\b|\bfor (?:it|him)self\b",
        "only, at most, anyway, unchanged, separately",
    ),
    "or-else": rule(PROSE, r"\bor else\b", "otherwise, by default"),
    "is-to-be": rule(PROSE, r"\b(?:is|are|was|were) to (?:be|have|learn|keep|make|say)\b", "must, should, or the verb"),
    "beside": rule(PROSE, r"\bbesides?\b", "next to, in addition to, compared with"),
    "ours": rule(PROSE, r"\b(?:ours|our|one's own|we|us)\b", "name the owner: of panparser, of this process"),
    "house-words": rule(
        PROSE,
        r"\b(?:gestures?|rooms|(?:a|the|each|every|one|its) room(?! for)|mend(?:s|ed|ing)?)\b",
        "edit, package, fix",
    ),
    # Messages and help
    "is-for": rule(
        "string", r"\b(?:is|are) (?:for|about)\b|\bbelongs? into\b", "A requires B; A is not supported for B"
    ),
    "known-are": rule(
        "string", r"\bknown are\b|\bknows (?:the|nothing|no)\b|\bthere is nothing\b", "expected one of …"
    ),
    "argument-of": rule(
        "string",
        r"\A(?:\{\}|\w+) of (?:\{\}|\w+) (?:must|is|are|has|needs?|learns?)\b",
        "FUNCTION: PARAMETER must be …; got …",
    ),
    "bounds": rule("string help option-help", r"\b(?:above|below) \d", "> 0, in [0, 1), between 1 and 16"),
    "help-opening": rule(
        "help option-help",
        r"\A(?:Of|To|With|Without|At|By|Who|Whose|Where|What|How|Why|Which|They|The same|Must|Instead|In place of|One|"
        r"Its|It|- is|More of|As|From|About|Because|None)\b|\?(?:\s|\Z)",
        "a noun phrase or an imperative, complete without the flag's name",
        ignore_case=False,
    ),
    "help-length": rule("help", r"(?s)\A.{81,}", "at most 80 characters"),
    # Names
    "name-participle": rule(
        "variable function", rf"\A_*(?:{IRREGULAR}|[a-z]+ed)_*\Z", "a noun for the content: kept what?"
    ),
    "name-telling": rule(
        "variable function",
        r"(?:\A|_)(?:tell|told|untold|say|said|hear|heard|speak|ask|asked|asks)(?:_|\Z)",
        "report, …",
    ),
    "name-pronoun": rule(
        "variable",
        r"\A_*(?:each|own|what|whatever|others?|rest|ones?|more|most|least|few|whole|every|here|there|both|same|such|any_|"
        r"none_?|all_?|it|its|at|of|by)_*\Z",
        "the singular of what the loop runs over; index, position; min_…, max_…",
    ),
    "name-preposition": rule(
        "function",
        r"\A_*(?:of|in|at|beside|among|until|within|upon|off|out|along|per)(?:_|\Z)",
        "a verb; from_… builds",
    ),
    "name-one-word": rule("function", r"\A_[a-z]+\Z", "verb and object: _read_links", ignore_case=False),
    "name-predicate": rule(
        "predicate",
        rf"\A(?!_*(?:{PREDICATE})(?:_|\Z)|__|_*[a-z]{{3,}}s(?:_|\Z))",
        "is_, has_, can_, should_, needs_, uses_",
    ),
    "name-class": rule(
        "class",
        rf"\A_?(?:{CLASS_METAPHORS}|(?i:{IRREGULAR})|[A-Z][a-z]+ed)\Z",
        "a noun of the field",
        ignore_case=False,
    ),
    "name-number": rule(
        "number",
        rf"\A(?=_*[A-Z])(?!(?:.*_)?(?:{DIMENSION})(?:_|\Z)|[A-Z]\Z)",
        "MAX_…, MIN_…, and the unit: _SECONDS, _BYTES",
        ignore_case=False,
    ),
    "name-test-length": rule("test", r"(?s)\A.{71,}", "a claim of at most 70 characters"),
}
FIELD_NAMES = frozenset(" ".join(FIELD_WORDS).split())
FIELD_NAMES = frozenset(" ".join(FIELD_WORDS).split())
