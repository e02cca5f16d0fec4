"""Looking inside a model: contributions are what the engine adds, names are exact, errors are traced to their cause."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from panparser.inspection.derivations import Derivations, inside
from panparser.inspection.explaining import Explanation
from panparser.inspection.model_weights import WeightCourse, shared, strongest, weights_of
from panparser.inspection.named_features import Feature
from panparser.inspection.propagation import propagation
from panparser.training.corpus import TrainingCorpus

SYSTEMS = ["arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager", "attardi", "swap-standard"]


@pytest.fixture(scope="module", params=SYSTEMS)
def any_parser(request, english):
    spec = pp.ParserSpec(system=pp.system(request.param, root="last"), beam=3)
    return pp.train(spec, english[0][:40], epochs=1, members=1)


def test_derivations_lead_to_the_trees_that_parsing_writes(any_parser, english):
    dev = english[1]
    for beam in (1, 3):
        derivations = Derivations.from_treebank(any_parser, dev, beam=beam)
        batch = derivations.batch()
        for _ in derivations.walk(batch):
            pass
        heads, labels = any_parser._label_encoding.put_back(dev, *batch.trees())
        expected = any_parser.predict(dev, beam=beam)
        assert (heads == expected[0]).all()
        assert (labels == expected[1]).all()


@pytest.mark.unmeasured
def test_contributions_sum_to_scores_that_choose_the_same_actions_and_labels(any_parser, english):
    """Greedy parsing takes what scores best: so the sums must be those of the engine, for actions and labels alike."""
    chosen = 0
    for sentence in english[1][:6]:
        found = Explanation.from_sentence(any_parser, sentence, beam=1)
        for step in range(1, len(found) + 1):
            actions = found.actions(step)
            assert actions.scores.argmax() == actions.chosen
            labels = found.labels(step)
            if labels is not None:
                assert labels.scores.argmax() == labels.chosen
                chosen += 1
    assert chosen > 20


@pytest.mark.unmeasured
def test_contributions_sum_to_the_score_of_the_tree(any_parser, english):
    for sentence in english[1][:6]:
        found = Explanation.from_sentence(any_parser, sentence)
        total = sum(int(a.scores[a.chosen]) for a in map(found.actions, range(1, len(found) + 1)))
        best = any_parser.k_best(sentence, 1, beam=any_parser.spec.beam)[0]
        assert total / found.actions(1).unit == pytest.approx(best.score, abs=1e-9)


@pytest.mark.unmeasured
def test_names_of_features_lead_to_the_keys_of_the_engine(any_parser, english):
    for sentence in english[1][:3]:
        found = Explanation.from_sentence(any_parser, sentence)
        for step in (1, len(found) // 2, len(found)):
            features = found.features(step)
            assert [feature.key(any_parser) for feature in features] == found._seen[step - 1].keys[0].tolist()
            for feature in features:
                assert Feature.parse(str(feature), any_parser) == feature


def test_values_are_quoted_where_they_would_be_read_otherwise(parser):
    for text in ('a "b"', "New York", "", "tab\t", "=", "é"):
        feature = Feature(pp.Template.parse("S0.suffix[3]"), (text,))
        assert Feature.parse(str(feature), parser) == feature


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S0.uppos=NOUN", "nearest template is S0.upos"),
        ("S0.form", "expected a feature"),
        ('S0.form="a', "expected a feature"),
        ("S0.label=nsubjj S0.form=x", "got"),
    ],
)
def test_texts_that_name_no_feature(parser, text, message):
    with pytest.raises(pp.errors.TemplateError, match=message):
        weights_of(parser, text)


def test_layers_are_explained_together(parser, english):
    again = pp.train(parser.spec, english[1], init=parser, epochs=1, members=1)
    assert len(again.layers) == 2
    found = Explanation.from_sentence(again, english[1][3], beam=1)
    assert all(found.actions(s).scores.argmax() == found.actions(s).chosen for s in range(1, len(found) + 1))


def test_vectors_are_explained(english, tmp_path):
    forms = sorted(set(english[0].vocabulary("form")))
    rng = np.random.default_rng(1)
    lines = [f"{form} {' '.join(f'{x:.3f}' for x in rng.normal(size=5))}" for form in forms if " " not in form]
    (tmp_path / "v.txt").write_text(f"{len(lines)} 5\n" + "\n".join(lines) + "\n", encoding="utf-8")
    templates = pp.Templates.parse("S0.form\nB0.upos S0.upos\nS0.vector\nB0.vector\nB1.vector")
    parser = pp.train(
        pp.ParserSpec(templates=templates, beam=1),
        english[0][:40],
        vectors=pp.read_vectors(tmp_path / "v.txt"),
        epochs=1,
    )
    found = Explanation.from_sentence(parser, english[1][0])
    for step in range(1, len(found) + 1):
        actions, labels = found.actions(step), found.labels(step)
        assert actions.scores.argmax() == actions.chosen
        assert labels is None or labels.scores.argmax() == labels.chosen
    assert any(name.startswith("B0.vector=") for name in found.actions(2).features)


def test_the_frame_of_a_sentence_and_of_a_step(parser, english):
    sentence = english[1][2]
    frame = pp.inspection.explain(parser, sentence)
    assert list(frame.columns) == "step stack buffer action label score lead cost correct".split()
    assert frame["step"].tolist() == list(range(1, len(frame) + 1))
    assert (
        (frame["cost"] == 0) == [a in r.split() for a, r in zip(frame["action"], frame["correct"], strict=True)]
    ).all()
    step = pp.inspection.explain(parser, sentence, 3)
    taken = step[(step["of"] == "action") & (step["class"] == frame["action"][2])]
    assert taken["contribution"].sum() == pytest.approx(frame["score"][2])
    sizes = taken["contribution"].abs()
    assert sizes.is_monotonic_decreasing
    with pytest.raises(pp.SpecError, match=f"step must be an integer between 1 and {len(frame)}; got 0"):
        pp.inspection.explain(parser, sentence, 0)


def test_one_action_against_another(parser, english):
    sentence = english[1][2]
    found = Explanation.from_sentence(parser, sentence)
    step = next(s for s in range(1, len(found) + 1) if len(found.legal(s)) > 1 and found.labels(s) is not None)
    actions, labels = found.actions(step), found.labels(step)
    for choice in (actions, labels):
        first, second = choice.ranking[:2]
        table = pp.inspection.explain(parser, sentence, step, compare_with=choice.columns[second])
        assert list(table.columns) == ["feature", choice.columns[first], choice.columns[second], "difference"]
        lead = (choice.scores[first] - choice.scores[second]) / choice.unit
        assert table["difference"].sum() == pytest.approx(lead)
        assert table["difference"].abs().is_monotonic_decreasing
    with pytest.raises(pp.SpecError, match="compare_with must be a legal choice"):
        pp.inspection.explain(parser, sentence, step, compare_with="HOP")
    with pytest.raises(pp.SpecError, match="compare_with requires a step"):
        pp.inspection.explain(parser, sentence, compare_with="LEFT")


def test_a_sentence_without_heads_is_explained_without_costs(parser, english):
    raw = english[1][:1]
    raw.heads[:] = -1
    assert "cost" not in pp.inspection.explain(parser, raw[0]).columns


# --- Weights ---


def test_the_strongest_features_are_those_of_a_slow_search(parser, english):
    few = english[1][:4]
    for name in ("SHIFT", "LEFT"):
        column = parser.spec.system.names.index(name)
        slow: dict[str, tuple[float, int]] = {}
        for sentence in few:
            found = Explanation.from_sentence(parser, sentence)
            for step in range(1, len(found) + 1):
                keys = found._seen[step - 1].keys[0]
                weights = inside(parser).action_weights(keys).reshape(len(keys), -1)[:, column]
                for feature, weight in zip(found.features(step), weights.tolist(), strict=True):
                    slow[str(feature)] = (weight, slow.get(str(feature), (0, 0))[1] + 1)
        table = strongest(parser, few, name, limit=15)
        unit = parser.layers[0].action_scale
        expected = sorted((abs(weight) for weight, _ in slow.values()), reverse=True)[:15]
        assert np.abs(table["weight"] * unit).round().astype(int).tolist() == expected
        for row in table.itertuples():
            assert (round(row.weight * unit), row.count) == slow[row.feature]


def test_the_strongest_features_of_a_label(parser, english):
    table = strongest(parser, english[1], "nsubj", limit=10)
    assert list(table.columns) == ["action", "feature", "weight", "count"]
    row = table.iloc[0]
    assert weights_of(parser, row["feature"], action=row["action"])["nsubj"] == pytest.approx(row["weight"])
    with pytest.raises(pp.SpecError, match="no action or label 'nsubjj'; the nearest is nsubj"):
        strongest(parser, english[1], "nsubjj")


def test_states_are_looked_at_some_at_a_time(parser, english, monkeypatch):
    whole = strongest(parser, english[1], "LEFT")
    monkeypatch.setattr("panparser.inspection.model_weights._SENTENCES", 7)
    parts = strongest(parser, english[1], "LEFT")
    assert whole.equals(parts)


def test_the_course_of_weights_ends_with_those_of_the_parser(english):
    features = ["S0.upos=DET B0.upos=NOUN", "S0.upos=NOUN B0.upos=VERB"]
    course, labels = WeightCourse(features), WeightCourse(features[:1], action="LEFT")
    parser = pp.train(pp.ParserSpec(beam=1), english[0][:40], epochs=3, members=1, listeners=[course, labels])
    frame = course.frame()
    assert len(frame) == 3 * 2 * len(parser.spec.system.names)
    last = frame[(frame["epoch"] == 3) & (frame["feature"] == features[0])].set_index("class")["weight"]
    assert last.to_dict() == weights_of(parser, features[0]).to_dict()
    assert last["LEFT"] > 0
    assert set(labels.frame()["class"]) == set(parser.labels.names)
    with pytest.raises(pp.SpecError, match="WeightCourse: features"):
        WeightCourse("S0.upos=DET")


def test_a_model_shares_everything_with_itself(parser, english):
    table = shared(parser, parser, english[1])
    assert (table["first"] == table["both"]).all()
    assert table["distance"].max() == 0
    assert table["cosine"].iloc[-1] == pytest.approx(1)
    assert table["first"].iloc[-1] == table["first"].iloc[:-1].sum()


def test_what_two_models_share(parser, english):
    """Other templates, in another order, and other labels: the same features are found in both."""
    templates = pp.Templates(tuple(reversed(pp.templates("rich").delexicalized())))
    other = pp.train(pp.ParserSpec(templates=templates, beam=1), english[1], epochs=1, members=1)
    table = shared(parser, other, english[1]).set_index("template")
    shared_atoms = [template.atoms for template in pp.ParserSpec().templates.delexicalized()]
    assert set(table.index) == {*(" ".join(map(str, atoms)) for atoms in shared_atoms), "all"}
    assert 0 < table.loc["all", "cosine"] < 1
    assert (table["both"] <= table[["first", "second"]].min(axis=1)).all()
    row, name = table.loc["S0.upos B0.upos"], "S0.upos=DET B0.upos=NOUN"
    assert row["both"] > 3
    a, b = weights_of(parser, name), weights_of(other, name)
    assert a["LEFT"] > 0 < b["LEFT"]
    law = row["first_norm"] ** 2 + row["second_norm"] ** 2 - 2 * row["cosine"] * row["first_norm"] * row["second_norm"]
    assert row["distance"] ** 2 == pytest.approx(law)
    hybrid = pp.train(pp.ParserSpec(system=pp.system("arc-hybrid")), english[1][:5], epochs=1, members=1)
    with pytest.raises(pp.SpecError, match="different transition systems"):
        shared(parser, hybrid, english[1])


def test_tags_and_words_apart(parser, english):
    """Rows by kind are sums over templates; a parser restricted to tags has nothing else."""
    restricted = parser.restricted_to(parser.spec.templates.delexicalized())
    table = shared(parser, restricted, english[1], min_weight=2.0)
    kinds = shared(parser, restricted, english[1], group_by="kind", min_weight=2.0).set_index("kind")
    assert set(kinds.index) == {"tags", "words", "all"}
    for kind in ("tags", "words", "all"):
        rows = table[(table["kind"] == kind) if kind != "all" else table["kind"] != "all"]
        assert kinds.loc[kind, "first"] == rows["first"].sum()
        assert kinds.loc[kind, "distance"] == pytest.approx(np.sqrt((rows["distance"] ** 2).sum()))
    assert kinds.loc["words", "second"] == kinds.loc["words", "second_norm"] == 0
    assert kinds.loc["words", "distance"] == kinds.loc["words", "first_norm"] > 0
    assert kinds.loc["tags", "distance"] == 0
    assert 0 < kinds.loc["tags", "first_significant"] < kinds.loc["tags", "first"]
    own = [weights_of(parser, f"S0.upos={tag}") for tag in parser.training_tags]
    row = table.set_index("template").loc["S0.upos"]
    assert row["first_significant"] >= sum(abs(each).max() >= 2 for each in own) - 1
    with pytest.raises(pp.SpecError, match="shared: group_by must be one of template, kind"):
        shared(parser, parser, english[1], group_by="tag")


# --- Errors and what they cause ---


def slow_errors(parser, gold, derivations):
    """(sentence, step, cost) of errors, by the step-by-step API; and for each wrong word where its arc was lost."""
    system = parser.spec.system
    heads, _ = TrainingCorpus(parser.spec, gold).reference(parser.labels)
    errors, lost = [], {}
    for number in range(len(gold)):
        words = slice(*(int(o) for o in gold.offsets[number : number + 2]))
        own = [None if head < 0 else int(head) for head in heads[words]]
        state = system.initial(len(own))
        actions = derivations.replay(number).actions
        singles = {word: pp.GoldTree([h if i == word else None for i, h in enumerate(own)]) for word in range(len(own))}
        for step, action in enumerate(actions, start=1):
            costs = system.costs(state, pp.GoldTree(own))
            if costs[action] > min(costs.values()):
                errors.append((number + 1, step, costs[action] - min(costs.values())))
            for word, single in singles.items():
                costs = system.costs(state, single)
                if costs[action] > min(costs.values()):
                    lost.setdefault((number + 1, word + 1), step)
            state = system.apply(state, action)
    return errors, lost


@pytest.mark.parametrize("name", ["arc-eager", "arc-hybrid", "arc-standard", "attardi"])
def test_errors_and_wrong_words_are_those_of_the_oracle(name, english):
    spec = pp.ParserSpec(system=pp.system(name, root="last"), beam=2)
    parser = pp.train(spec, english[0][:30], epochs=1, members=1)
    gold = english[1][:8]
    found = propagation(parser, gold)
    errors, lost = slow_errors(parser, gold, found.derivations)
    assert list(found.errors[["sentence", "step", "cost"]].itertuples(index=False, name=None)) == errors
    assert len(errors) > 5
    is_error = {(sentence, step) for sentence, step, _ in errors}
    for row in found.words.itertuples():
        step = lost[row.sentence, row.word]
        assert row.lost_at == (step if (row.sentence, step) in is_error else 0)
        assert (row.kind == "tied") == (row.lost_at == 0)
        assert row.kind != "immediate" or row.attached_at == row.lost_at
        assert row.attached_at >= row.lost_at
    if name in ("arc-eager", "arc-hybrid"):  # arcs are lost one by one: costs are numbers of words
        assert (found.errors["cost"] == found.errors["words"]).all()
        assert len(found.words) == found.errors["cost"].sum()


def test_the_summary_adds_up(parser, english):
    gold = english[1]
    found = propagation(parser, gold)
    summary = found.summary()
    heads, _ = parser.predict(gold)
    lifted = TrainingCorpus(parser.spec, gold).heads
    if (lifted == gold.heads).all():
        assert summary["wrong words"] == int((heads != gold.heads).sum())
    assert summary["errors"] == len(found.errors) == found.table()["errors"].sum()
    parts = "wrong words of first errors", "wrong words of later errors", "wrong words without an error"
    assert sum(summary[part] for part in parts) == summary["wrong words"]
    assert found.table("S0", "B0")["words"].sum() == found.errors["words"].sum()
    first = found.errors.groupby("sentence")["step"].min()
    assert found.errors[found.errors["first"]].set_index("sentence")["step"].to_dict() == first.to_dict()
    with pytest.raises(pp.SpecError, match="columns must be some of sentence, step"):
        found.table("colour")


def test_a_parser_without_errors(english):
    gold = english[0][:3]
    parser = pp.train(pp.ParserSpec(beam=1), gold, epochs=15, patience=None, members=1)
    found = propagation(parser, gold)
    assert len(found.errors) == len(found.words) == 0
    assert found.summary()["errors"] == 0


def test_what_cannot_be_looked_into(parser, english):
    swap = pp.train(pp.ParserSpec(system=pp.system("swap-standard")), english[0][:5], epochs=1, members=1)
    with pytest.raises(pp.SpecError, match="static oracle only"):
        propagation(swap, english[1])
    with pytest.raises(pp.SpecError, match="expected a Parser"):
        strongest(None, english[1], "LEFT")
    with pytest.raises(pp.SpecError, match="inspect the parsers that vote"):
        pp.inspection.explain(pp.make_voting_parser([parser, parser]), english[1][0])


# --- Commands ---


@pytest.fixture(scope="module")
def files(parser, english, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inside")
    parser.save(folder / "m.panparser")
    pp.write_conllu(folder / "dev.conllu", english[1])
    return folder / "m.panparser", folder / "dev.conllu"


def test_the_command_explain(run, files, parser, english):
    model, dev = files
    code, out, _ = run("explain", "-m", model, dev, "--sentence", 3)
    frame = pp.inspection.explain(parser, english[1][2])
    assert code == 0
    assert len(out.splitlines()) == len(frame) + 1
    code, out, _ = run("explain", "-m", model, dev, "--sentence", 3, "--step", 2, "--limit", 4)
    assert code == 0
    assert "<- chosen" in out
    assert f"{frame['score'][1]:.2f}" in out
    code, out, _ = run("explain", "-m", model, dev, "--sentence", 3, "--step", 2, "--csv")
    assert out.splitlines()[0] == "of,class,feature,contribution"
    code, out, _ = run(
        "explain", "-m", model, dev, "--sentence", 3, "--step", 2, "--compare-with", "RIGHT", "--limit", 3
    )
    assert (code, len(out.splitlines())) == (0, 4)
    code, _, err = run("explain", "-m", model, dev, "--sentence", 99)
    assert (code, err) == (2, f"panparser: {dev}: --sentence must be between 1 and 30; got 99\n")
    code, _, err = run("explain", "-m", model, dev, "--step", 999)
    assert code == 2
    assert "step must be an integer between 1 and" in err


def test_the_command_weights(run, files):
    model, dev = files
    code, out, _ = run("weights", "-m", model, dev, "--class", "LEFT", "--limit", 5)
    assert code == 0
    assert len(out.splitlines()) == 6
    code, out, _ = run("weights", "-m", model, dev, "--compare-with", model, "--csv")
    assert out.splitlines()[-1].startswith("all,")
    code, out, _ = run("weights", "-m", model, "--feature", "S0.upos=DET B0.upos=NOUN")
    assert out.split()[:2] == ["action", "weight"]
    code, _, err = run("weights", "-m", model, dev)
    assert (code, err) == (2, "panparser: expected one of --class NAME, --feature TEXT and --compare-with MODEL\n")
    code, _, err = run("weights", "-m", model, dev, "--feature", "S0.upos=DET")
    assert (code, "--feature cannot be used with FILE" in err) == (2, True)
    code, _, err = run("weights", "-m", model, dev, "--compare-with", model, "--limit", 5)
    assert (code, "--limit requires --class" in err) == (2, True)
    code, _, err = run("weights", "-m", model, "--class", "LEFT")
    assert (code, err) == (2, "panparser: expected a treebank whose features are listed: FILE\n")


def test_the_command_propagation(run, files):
    model, dev = files
    code, out, _ = run("propagation", "-m", model, dev, "--group-by", "action", "--limit", 2)
    assert code == 0
    assert "errors in 100 actions, after the first" in out
    code, out, _ = run("propagation", "-m", model, dev, "--csv")
    assert out.splitlines()[0] == "sentence,step,correct,action,S0,B0,cost,first,words,immediate,delayed"
