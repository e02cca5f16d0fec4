"""Train a parser on 200 sentences, parse one that it has not seen, and draw what it made of it."""

from pathlib import Path

import panparser as pp

treebank = pp.read_conllu(Path(__file__).parents[1] / "tests" / "data" / "english.conllu")
train_set, dev = treebank[:200], treebank[200:]


class Watch(pp.Listener):
    """Prints a line for each epoch."""

    def after_epoch(self, report):
        print(f"epoch {report.epoch}  {report.updates:4} updates  UAS {report.uas:.2f}  LAS {report.las:.2f}")


parser = pp.train(pp.ParserSpec(), train_set, dev=dev, epochs=5, listeners=[Watch()])
parsed = parser.parse(dev)
print(f"\n{parser}, best epoch {parser.training['best_epoch']}\n")
print(parsed[4].text)
print(parsed[4].draw())
