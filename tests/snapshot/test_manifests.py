"""Manifests of systems, specs, networks, strategies and options of training are what they were."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import nets
import panparser as pp
from panparser.learning.training import TrainingConfig
from snapshots import compare, digest, digest_of_values
from variants import identify, variants

TEMPLATES = {
    "fitting": None,
    "rich": pp.templates("rich"),
    "rich-stack": pp.templates("rich-stack"),
    "lean": pp.templates("lean"),
    "easy": pp.templates("easy"),
    "zn11": pp.templates("zn11"),
    "fast": pp.templates("fast"),
    "delexicalized": pp.templates("rich").delexicalized(feats=True),
    "vectors": pp.Templates.parse("S0.vector\nB0.vector\nS0.form B0.form"),
}
OPTIONS = {
    "default": {},
    "greedy": {"beam": 1},
    "unlabeled": {"labeled": False, "beam": 64},
    "universal": {"labels": "universal", "nonprojective": "as-is"},
}
CROSSING = ("as-is", "leave-out", "reduce", "pseudo", None)


def test_manifests_of_specs():
    """One digest for all specs of a system; in all, some 2,700 specs."""
    manifests = {}
    for system in variants():
        specs = [
            pp.ParserSpec(system=system, templates=templates, **options)
            for templates, options in product(TEMPLATES.values(), OPTIONS.values())
        ]
        manifests[identify(system)] = digest_of_values([spec.to_values() for spec in specs])
        manifests[f"{identify(system)}, as JSON"] = digest(system.to_json())
    for crossing in CROSSING:
        manifests[f"nonprojective {crossing}"] = digest_of_values(pp.ParserSpec(nonprojective=crossing).to_values())
    compare("specs", manifests)


def test_manifests_of_trainings():
    choices = {
        "epochs": (1, 8, 100),
        "patience": (None, 1, 10),
        "seed": (0, 2**32 - 1),
        "members": (None, 1, 4),
        "prune_threshold": (None, 0, 1.5, 2),
        "max_model_bytes": (None, 8 << 20),
        "margin": (None, 0, 0.25),
        "batch_size": (1, 16),
        "subsample": (
            None,
            *(pp.Subsampling(share=0.5, criterion=by) for by in ("share", "frequency", "accuracy", "accuracy-once")),
            pp.Subsampling(share=0, region=pp.ArcRegion(upos=["DET", "ADJ"], max_length=2)),
        ),
        "strategy": (
            *pp.STRATEGIES.values(),
            pp.TrainingStrategy(restart="pair", exploration=pp.EpochSchedule(((1, 0.0), (4, 0.25)))),
            pp.TrainingStrategy(restart="sample", temperature=0.5, search_horizon=3, focus=0.5),
            lambda epoch, sentence: pp.learning.EARLY_UPDATE,
        ),
    }
    manifests = {"default": digest_of_values(TrainingConfig().to_values())}
    for name, values in choices.items():
        for number, value in enumerate(values):
            manifests[f"{name} {number}"] = digest_of_values(TrainingConfig(**{name: value}).to_values())
    for number, values in enumerate(product(*choices.values())):
        if number % 997 == 0:
            options = dict(zip(choices, values, strict=True))
            manifests[f"{number}"] = digest_of_values(TrainingConfig(**options).to_values())
    compare("trainings", manifests)


def test_manifests_of_networks():
    networks = {
        "bilstm": pp.BILSTM,
        "feed-forward": pp.FEED_FORWARD,
        "stack-lstm": pp.STACK_LSTM,
        **nets.KINDS,
        "delexicalized": pp.BILSTM.delexicalized(),
        "given heads": pp.BILSTM.with_given_head(),
        "joint": pp.BILSTM.joint("upos", "feats"),
        "tagger": pp.BILSTM.as_tagger("upos", "lemma"),
        "patient": replace(pp.BILSTM, training=replace(pp.BILSTM.training, patience=3, max_seconds=60.0)),
    }
    compare("networks", {name: digest_of_values(network.to_values()) for name, network in networks.items()})
