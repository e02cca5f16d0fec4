"""A small parser to train, and who listens."""

from __future__ import annotations

import panparser as pp
from learners import SMALL, short_sentences

SPEC = pp.ParserSpec(templates=SMALL, beam=2)
TRAIN, DEV = short_sentences(20, 10), short_sentences(8, 6)


def weights(parser):
    return [b"".join(array.tobytes() for array in layer.to_arrays().values()) for layer in parser.layers]


class Diary(pp.Listener):
    def __init__(self):
        self.lines = []

    def before_epoch(self, epoch):
        self.lines.append(("before epoch", epoch))

    def after_epoch(self, report):
        self.lines.append(("after epoch", report.epoch))

    def before_sentence(self, epoch, sentence):
        self.lines.append(("before sentence", sentence))

    def after_sentence(self, epoch, sentence):
        self.lines.append(("after sentence", sentence))

    def before_update(self, update):
        self.lines.append(("before update", update.sentence))

    def after_update(self, update):
        self.lines.append(("after update", update.sentence))

    def before_evaluation(self, epoch):
        self.lines.append(("before evaluation", epoch))

    def after_evaluation(self, report):
        self.lines.append(("after evaluation", report.epoch))
        assert report.score == report.las
