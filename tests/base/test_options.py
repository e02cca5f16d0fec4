"""Options: what is declared once is checked by the constructor, written to plain values, and read back."""

from dataclasses import FrozenInstanceError, field, replace

import pytest

from panparser.base.checks import NON_NEGATIVE
from panparser.base.kinds import BOOLEAN, ListOf, Nullable, check, integer, number, one_of
from panparser.base.options import Form, Options, instance_of, option
from panparser.errors import ModelError, SpecError, StrategyError


class Weights(Options, error=StrategyError):
    """How weights are kept."""

    precision: str = option(one_of("float32", "int8"), help="Numbers in the file.")
    least: float = option(number(NON_NEGATIVE), default=0.0, omits_default=True)


class Search(Options, owner="search"):
    """How trees are searched."""

    beam: int = option(integer(1, 64), default=8, help="Hypotheses kept.")
    patience: int | None = option(
        Nullable(integer(1)),
        default=3,
        help="Epochs without improvement.",
        recipe=Form(kind=integer(0), encode=lambda value: value or 0, decode=lambda value: value or None),
    )
    max_bytes: int | None = option(Nullable(integer(1)), default=None, stored=Form("max_size"), recipe=Form("size"))
    columns: tuple[str, ...] = option(
        ListOf(one_of("form", "upos")), default=(), convert=tuple, stored=Form(encode=list)
    )
    weights: Weights | None = option(
        Nullable(instance_of(Weights)),
        default=None,
        stored=Form(
            kind=Nullable(Weights.table()),
            encode=lambda value: value and value.to_values(),
            decode=lambda values: values and Weights.restore(values),
        ),
    )
    is_greedy: bool = option(BOOLEAN, default=False, stored=None, recipe=None)
    model: object = field(default=None, compare=False)

    def check(self):
        if self.is_greedy and self.beam > 1:
            raise SpecError("search: beam must be 1 if it is greedy")


VALUES = {"beam": 4, "patience": None, "max_size": 9, "columns": ["upos"], "weights": {"precision": "int8"}}
SEARCH = Search(beam=4, patience=None, max_bytes=9, columns=["upos"], weights=Weights(precision="int8"))


def test_options_are_frozen_values():
    assert Search() == Search(model=1)
    assert hash(Search(beam=2)) == hash(replace(Search(), beam=2)) != hash(Search())
    assert repr(Weights(precision="int8")) == "Weights(precision='int8', least=0.0)"
    with pytest.raises(FrozenInstanceError):
        Search().beam = 3
    with pytest.raises(TypeError):
        Search(4)
    with pytest.raises(TypeError):
        Weights()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beam": 0}, "search: beam must be an integer between 1 and 64; got 0"),
        ({"beam": True}, "search: beam must be an integer between 1 and 64; got True"),
        ({"beam": "x" * 100}, "search: beam must be an integer between 1 and 64; got 'xxx"),
        ({"patience": 0}, "search: patience must be an integer >= 1; got 0"),
        ({"columns": ("lemma",)}, "search: columns must be a list; got ('lemma',)"),
        ({"weights": {}}, "search: weights must be a Weights; got {}"),
        ({"is_greedy": True}, "search: beam must be 1 if it is greedy"),
    ],
)
def test_constructor_checks_every_option(arguments, message):
    with pytest.raises(SpecError) as error:
        Search(**arguments)
    assert message in str(error.value)
    assert len(str(error.value)) < 130


def test_errors_are_of_the_class():
    with pytest.raises(StrategyError, match=r"^Weights: precision must be one of float32, int8; got 'int4'$"):
        Weights(precision="int4")


def test_plain_values_are_read_back():
    assert SEARCH.to_values() == VALUES
    assert Search.restore(VALUES) == SEARCH
    assert Search.restore({}) == Search()
    assert list(Search().to_values()) == ["beam", "patience", "max_size", "columns", "weights"]


def test_options_of_later_versions_are_written_only_if_changed():
    assert Weights(precision="int8").to_values() == {"precision": "int8"}
    weights = Weights(precision="int8", least=1.5)
    assert weights.to_values() == {"precision": "int8", "least": 1.5}
    assert Weights.restore(weights.to_values()) == weights


def test_arguments_may_be_those_of_some_options():
    assert Search.arguments({"max_size": 3, "other": 1}) == {"max_bytes": 3}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"beam": "x"}, "search.beam: expected an integer between 1 and 64, found 'x'"),
        ({"max_bytes": 1}, "search.max_bytes: unknown; expected one of beam, patience, max_size, columns, weights"),
        ({"columns": ["form", "x"]}, r"search.columns\[1\]: expected one of form, upos, found 'x'"),
        ({"weights": {}}, "search.weights.precision: expected one of float32, int8, found nothing"),
    ],
)
def test_plain_values_that_do_not_fit_are_refused(values, message):
    with pytest.raises(SpecError, match=f"^{message}$"):
        Search.restore(values, "search")


def test_tables_are_as_strict_as_needed():
    check({}, Search.table(), "search")
    check({"other": 1}, Search.table(is_closed=False), "search")
    with pytest.raises(ModelError, match=r"search\.patience: expected an integer >= 1, or null, found nothing"):
        check({"beam": 1}, Search.table(is_complete=True), "search")
    check({"precision": "int8"}, Weights.table(is_complete=True), "weights")


def test_forms_have_the_name_and_kind_of_their_option():
    options = Search.declarations
    assert list(options) == ["beam", "patience", "max_bytes", "columns", "weights", "is_greedy"]
    assert [each.stored and each.stored.key for each in options.values()][:3] == ["beam", "patience", "max_size"]
    assert [each.recipe and each.recipe.key for each in options.values()][2:] == ["size", "columns", "weights", None]
    assert options["max_bytes"].recipe.kind.expected == "an integer >= 1"
    assert options["max_bytes"].stored.kind.expected == "an integer >= 1, or null"
    assert options["patience"].recipe.decode(0) is None


def test_options_document_themselves():
    assert Search.__doc__.startswith("How trees are searched.\n\n`beam`: Hypotheses kept.\n\n`patience`: Epochs")
