"""Members: several perceptrons, of which a parser is the mean."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, start
from panparser.learning.strategies import DYNAMIC_EXPLORE, TrainingStrategy
from trainings import SPEC, TRAIN, Diary, weights


@pytest.mark.parametrize(("words", "members"), [(9_999, 4), (10_000, 2), (99_999, 2), (100_000, 1), (10**7, 1)])
def test_small_treebanks_have_several_members(words, members):
    assert pp.TrainingConfig().members_for(words) == members
    assert pp.TrainingConfig(members=3).members_for(words) == 3


def place(key, places):
    return (key >> 32) * places >> 32


def line_of(lines, tables, key):
    """Where a key belongs: a line of 64 bytes with ten tags and ten rows of 4 bytes."""
    first, end = tables[key & 511 :][:2].tolist()
    return lines.reshape(-1, 64)[first:end][place(key, end - first)]


def look_up(lines, tables, key):
    """The four bytes under a key; None if it has none."""
    line = line_of(lines, tables, key)
    for slot, tag in enumerate(line[:20].view(np.uint16).tolist()):
        if tag == (key >> 9 & 0xFFFF or 1):
            return line[20 + 4 * slot : 24 + 4 * slot]
    return None


def look_up_actions(layer, key):
    row = look_up(layer.lines, layer.tables[: len(layer.tables) // 2], key)
    return [0] * 4 if row is None else row.view(np.int8).tolist()


def is_crowded_out(layer, key, row):
    """Is the line of a feature full of others that matter as much, by how far apart their weights are?"""
    line = line_of(layer.lines, layer.tables[: len(layer.tables) // 2], key)
    spreads = np.ptp(line[20:60].view(np.int8).reshape(10, 4).astype(int), axis=1)
    return bool(line[:20].view(np.uint16).all()) and max(row) - min(row) <= spreads.min()


def look_up_labels(layer, key):
    """By label: a row is a number of cells, each a label and its weight; or 0 and then the weights of all labels."""
    row = look_up(layer.label_lines, layer.tables[len(layer.tables) // 2 :], key)
    if row is None:
        return {}
    count, *rest = layer.label_rows[int(row.view(np.uint32)[0]) :].tolist()
    cells = (
        zip(rest[: 2 * count : 2], rest[1 : 2 * count : 2], strict=True) if count else enumerate(rest[: layer.labels])
    )
    return {label: (weight + 128) % 256 - 128 for label, weight in cells if weight}


@pytest.mark.parametrize("members", [1, 2, 5])
@pytest.mark.parametrize("focus", [1.0, 0.7])
def test_the_parser_is_the_mean_of_its_members(members, focus):
    run = start(SPEC, TRAIN, epochs=2, members=members, strategy=TrainingStrategy(focus=focus))
    (layer,) = run.run(False).layers
    assert len(run.learners) == members
    actions, labels = {}, {}
    for learner in run.learners:
        rows = learner.actions()
        averages = ((learner.time * rows.weights.astype(np.int64) - rows.dated) / learner.time).astype(np.float32)
        for key, row in zip(rows.keys.tolist(), averages.reshape(len(rows.keys), -1), strict=True):
            actions[key] = actions.get(key, np.zeros(4, dtype=np.float32)) + row
        found = learner.labels()
        averages = (learner.time * found.weights.astype(np.int64) - found.dated) / learner.time
        keys = np.repeat(found.keys, found.counts)
        cells = zip(keys.tolist(), found.labels.tolist(), averages.tolist(), strict=True)
        for key, name, average in cells:
            labels[key, name] = labels.get((key, name), 0) + average
    scale = 127 / float(max(np.abs(row).max() for row in actions.values()))
    label_scale = 127 / max(map(abs, labels.values()))
    assert layer.action_scale == pytest.approx(scale * members * run._unit)
    assert layer.label_scale == pytest.approx(label_scale * members * run._unit)
    for key, row in actions.items():
        assert look_up_actions(layer, key) == np.floor(row.astype(np.float64) * scale + 0.5).tolist()
    for (key, name), total in labels.items():
        assert look_up_labels(layer, key).get(name, 0) == np.floor(total * label_scale + 0.5)


def test_of_many_features_those_that_matter_least_are_left_out():
    run = start(SPEC, ENGLISH, epochs=2, members=1)
    (layer,) = run.run(False).layers
    rows = run.learners[0].actions()
    averages = (run.learners[0].time * rows.weights.astype(np.int64) - rows.dated) / run.learners[0].time
    bytes_of = np.floor(averages.astype(np.float32).astype(np.float64) * layer.action_scale + 0.5).reshape(-1, 4)
    left_out = 0
    for key, row in zip(rows.keys.tolist(), bytes_of.astype(int).tolist(), strict=True):
        if look_up_actions(layer, key) != row:
            assert look_up_actions(layer, key) == [0] * 4
            assert is_crowded_out(layer, key, row)
            left_out += 1
    assert 0 < left_out < len(rows.keys) / 25


def test_members_learn_in_orders_of_their_own():
    diary = Diary()
    pp.train(SPEC, TRAIN, epochs=2, members=3, listeners=[diary])
    order = [what for event, what in diary.lines if event == "before sentence"]
    parts = [order[i : i + len(TRAIN)] for i in range(0, len(order), len(TRAIN))]
    expected = [np.random.default_rng([1, epoch, m]).permutation(len(TRAIN)) for epoch in (1, 2) for m in range(3)]
    assert parts == [part.tolist() for part in expected]


def test_the_first_of_several_members_learns_what_one_alone_does():
    alone = start(SPEC, TRAIN, epochs=3, members=1, strategy=DYNAMIC_EXPLORE)
    several = start(SPEC, TRAIN, epochs=3, members=3, strategy=DYNAMIC_EXPLORE)
    for run in (alone, several):
        run.run(False)
    rows = [learner.actions() for learner in (*alone.learners, *several.learners)]
    tables = [[table.keys.tolist(), table.weights.tolist(), table.dated.tolist()] for table in rows]
    assert tables[0] == tables[1]
    assert tables[1] != tables[2] != tables[3]


def test_the_same_seed_gives_the_same_members():
    one, same, other = (pp.train(SPEC, TRAIN, epochs=2, members=3, seed=seed) for seed in (1, 1, 2))
    assert weights(one) == weights(same) != weights(other)
    assert one.training["history"][-1]["words"] == 3 * 2 * TRAIN.words
