"""What callers may get wrong is refused with words, at once; and nothing that they ask for runs without an end."""

import io

import numpy as np
import pytest

import panparser as pp
from panparser.base.checks import MAX_BEAM, MAX_EPOCHS, MAX_MEMBERS, MAX_SEEDS, MAX_THREADS
from panparser.proofs.system_proof import check_system, format_seconds
from panparser.storage.containers import encode, read_arrays
from places import ENGLISH

TRAIN = pp.read_conllu(ENGLISH)[:6]
SPEC = pp.ParserSpec(beam=1, templates=pp.Templates.parse("S0.form\nB0.form"))


@pytest.fixture(scope="module")
def parser():
    return pp.train(SPEC, TRAIN, epochs=1, members=1)


# --- Wrong arguments ---


def test_a_table_is_no_recipe():
    with pytest.raises(pp.SpecError, match=r"must be a Recipe, or the file of one; got .*Recipe.from_values makes one"):
        pp.run_recipe({"data": {"train": ["x"]}})
    with pytest.raises(pp.SpecError, match="must be a Recipe, or the file of one; got 3"):
        pp.run_recipe(3)


@pytest.mark.parametrize(
    "train",
    [
        lambda listeners: pp.train(SPEC, TRAIN, listeners=listeners),
        lambda listeners: pp.train_tagger(pp.TaggerSpec(), TRAIN, listeners=listeners),
        lambda listeners: pp.train_pipeline(pp.PipelineSpec(), TRAIN, listeners=listeners),
        lambda listeners: pp.run_recipe(pp.Recipe(), listeners=listeners),
    ],
)
def test_listeners_are_checked(train):
    with pytest.raises(pp.SpecError, match=r"\w+: listeners must be Listeners; got 3$"):
        train([3])
    with pytest.raises(pp.SpecError, match=r"make an instance: Listener\(\)"):
        train([pp.Listener])
    with pytest.raises(pp.SpecError, match="must be a list of Listeners; got 3"):
        train(3)


def test_the_name_of_a_system_is_no_system():
    with pytest.raises(pp.SpecError, match=r"got 'arc-eager'; pp.system\('arc-eager'\) makes one"):
        pp.ParserSpec(system="arc-eager")
    with pytest.raises(pp.SpecError, match=r"make an instance: Endless\(\)"):
        pp.ParserSpec(system=Endless)


def test_a_system_in_python_is_trained_in_python(run, tmp_path):
    code, _, said = run("train", "-t", ENGLISH, "-o", tmp_path / "m", "--system", "file.py:Mine")
    assert code == 2
    assert "a system in Python is trained in Python" in said


def test_a_joint_classifier_has_the_actions_of_its_tags(tmp_path):
    templates = pp.Templates.parse("S0.form\nB0.form")
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=templates, beam=1)
    pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"), epochs=1).save(
        tmp_path / "joint"
    )
    arrays, manifest = read_arrays(tmp_path / "joint", "model")
    manifest["classifier"]["values"]["tags"].pop()
    (tmp_path / "short").write_bytes(encode({name: np.array(array) for name, array in arrays.items()}, manifest))
    with pytest.raises(pp.ModelError, match=r"its joint scores \d+ actions; the parser has \d+"):
        pp.load(tmp_path / "short")


# --- Ends ---


class Endless(pp.PythonSystem):
    """Moves nothing, forever."""

    transitions = ("STAY",)

    def legal(self, state, transition):
        return True

    def apply(self, state, transition):
        pass

    def cost(self, state, transition, gold):
        return 0


def test_a_system_that_never_ends_is_ended():
    with pytest.raises(pp.errors.NoLegalTransitionError, match="Endless does not end: after "):
        pp.train(pp.ParserSpec(system=Endless(), templates=SPEC.templates, beam=1), TRAIN, epochs=1)


@pytest.mark.parametrize("event", ["before_evaluation", "after_evaluation", "after_training_pass", "after_epoch"])
@pytest.mark.parametrize(
    "train",
    [
        lambda listener: pp.train(SPEC, TRAIN, dev=TRAIN, epochs=5, members=1, listeners=[listener]),
        lambda listener: pp.train(SPEC, TRAIN, dev=TRAIN, epochs=5, classifier=pp.Perceptron(), listeners=[listener]),
        lambda listener: pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=TRAIN, epochs=5, listeners=[listener]),
    ],
    ids=["perceptron", "classifier", "tagger"],
)
def test_training_can_be_stopped_by_every_event_of_an_epoch(train, event):
    class Stopper(pp.Listener):
        epochs = 0

        def before_epoch(self, epoch):
            self.epochs = epoch

    def stop(self, *values):
        raise pp.StopTraining

    setattr(Stopper, event, stop)
    listener = Stopper()
    found = train(listener)
    if event != "after_training_pass" or isinstance(found, pp.Parser):  # taggers have no such event
        assert listener.epochs == len(found.training.history) == 1
    assert not found.training.interrupted


# --- Limits ---


def test_what_would_never_be_done_is_refused(parser):
    for train in (
        lambda: pp.ParserSpec(beam=MAX_BEAM + 1),
        lambda: parser.parse(TRAIN, beam=MAX_BEAM + 1),
        lambda: parser.k_best(TRAIN[0], MAX_BEAM + 1),
        lambda: parser.parse(TRAIN, threads=MAX_THREADS + 1),
        lambda: pp.train(SPEC, TRAIN, threads=MAX_THREADS + 1),
        lambda: pp.train(SPEC, TRAIN, epochs=MAX_EPOCHS + 1),
        lambda: pp.train(SPEC, TRAIN, members=MAX_MEMBERS + 1),
        lambda: pp.lab.train_seeds(SPEC, TRAIN, range(MAX_SEEDS + 1)),
        lambda: pp.Recipe.from_values({"training": {"members": 10_000}}),
        lambda: pp.Recipe.from_values({"parser": {"beam": 100_000}}),
        lambda: check_system("arc-eager", 50),
    ):
        with pytest.raises(pp.SpecError, match=r"<=|at most|between 1 and"):
            train()


def test_a_large_beam_is_announced(tmp_path):
    said = []

    class Hears(pp.recipes.RunListener):
        def on_notice(self, message):
            said.append(message)

    values = {"data": {"train": [str(ENGLISH)]}, "parser": {"beam": 512}, "training": {"members": 1}}

    class Stops(Hears):
        def before_sentence(self, epoch, sentence):
            raise pp.StopTraining

    pp.run_recipe(pp.Recipe.from_values(values), listeners=[Stops()])
    assert said == [
        "a beam of 512 and 1 member: about 64 times the time, and memory in proportion, of a beam of 8 and 4 members"
    ]


def test_times_beyond_a_century_are_not_spelled_out():
    assert format_seconds(1e30) == "more than a century"
    assert format_seconds(86_400 * 400) == "400 days"


def test_a_device_is_no_text():
    class Zeros(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    with pytest.raises(pp.errors.TextError, match="expected text, found null characters"):
        list(pp.iter_text(io.BufferedReader(Zeros())))


def test_a_text_without_spaces_is_cut():
    class Letters(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:] = b"a" * len(buffer)
            return len(buffer)

    pieces = pp.iter_text(io.BufferedReader(Letters()), block=1 << 12)
    assert max(len(next(pieces)) for _ in range(20)) <= 5 << 12
