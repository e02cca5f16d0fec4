"""UDPipe 1 as a peer of `peers.py`: its parser alone, on gold tokens and gold tags.

    python benchmarks/peer_udpipe.py train TRAIN DEV MODEL [--iterations 30] [--no-vectors]
    python benchmarks/peer_udpipe.py parse MODEL INPUT OUTPUT [--beam 5]

Needs `ufal.udpipe`, and `gensim` for the word vectors that UDPipe's own models start from: skip-gram of the training
forms alone; with --no-vectors, words start at random. The settings are those of the UDPipe models for Universal
Dependencies 2.0 (Straka & Strakova 2017; in UDPipe's repository: training/models-ud-2.0/params_parser), chosen by its
authors for each treebank on its dev set.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGES = ("ufal.udpipe", "gensim")
ITERATIONS = 30
COMMON = (
    "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    "embedding_deprel=20;learning_rate_final=0.001;hidden_layer=200;batch_size=10;use_gold_tags=1"
)
OTHERS = "0.02 0.5 projective dynamic 8"  # the trainer's defaults, for a treebank that is not listed
CHOSEN = {  # learning rate, L2, transition system, oracle, how often (in sentences) the structured oracle is updated
    "el": "0.02 0.3 link2 static 8",
    "en": "0.01 0.5 projective dynamic 8",
    "en_lines": "0.01 0.3 projective dynamic 0",
    "et": "0.02 0.3 projective dynamic 10",
    "fr_sequoia": "0.02 0.3 swap static_lazy 10",
    "ga": "0.02 0.5 projective dynamic 8",
    "got": "0.01 0.5 projective dynamic 8",
    "hu": "0.02 0.3 projective dynamic 10",
    "id": "0.01 0.5 link2 static 8",
    "ko": "0.01 0.5 projective dynamic 10",
    "lv": "0.02 0.5 projective dynamic 10",
    "pt": "0.01 0.5 link2 static 10",
    "sv_lines": "0.02 0.5 projective dynamic 0",
    "ta": "0.02 0.3 projective static 8",
    "tr": "0.01 0.3 projective dynamic 8",
    "vi": "0.02 0.3 projective dynamic 8",
}
VECTORS: dict[str, Any] = {
    "vector_size": 50,
    "window": 10,
    "sg": 1,
    "hs": 0,
    "negative": 5,
    "sample": 0.1,
    "epochs": 15,
    "min_count": 2,
    "workers": 1,
    "seed": 1,
}


def settings(treebank: str, iterations: int = ITERATIONS) -> str:
    """The parser options for a treebank, by the name of its folder (`fr_sequoia`)."""
    names = ("learning_rate", "l2", "transition_system", "transition_oracle", "structured_interval")
    chosen = CHOSEN.get(treebank, OTHERS).split()
    return f"iterations={iterations};{COMMON}" + "".join(
        f";{name}={value}" for name, value in zip(names, chosen, strict=True)
    )


def read(path: Path) -> Any:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences

    source, error = InputFormat.newConlluInputFormat(), ProcessingError()
    source.setText(path.read_text(encoding="utf-8"))
    sentences, sentence = Sentences(), Sentence()
    while source.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = Sentence()
    if error.occurred():
        sys.exit(f"{path}: {error.message}")
    return sentences


def write_vectors(sentences: Any, path: Path) -> None:
    from gensim.models import Word2Vec

    forms = [[word.form.replace(" ", "\u00a0") for word in list(sentence.words)[1:]] for sentence in sentences]
    Word2Vec(forms, **VECTORS).wv.save_word2vec_format(str(path), binary=False)


def train(train_path: Path, dev_path: Path, model: Path, iterations: int, *, vectors: bool = True) -> None:
    from ufal.udpipe import ProcessingError, Trainer

    sentences, error = read(train_path), ProcessingError()
    options = settings(train_path.parent.name, iterations)
    with tempfile.TemporaryDirectory() as folder:
        if vectors:
            path = Path(folder) / "vectors"
            write_vectors(sentences, path)
            options += f";embedding_form_file={path}"
        data = Trainer.train("morphodita_parsito", sentences, read(dev_path), "none", "none", options, error)
    if error.occurred():
        sys.exit(f"udpipe: {error.message}")
    model.write_bytes(data)


def parse(model_path: Path, source: Path, output: Path, beam: int) -> None:
    from ufal.udpipe import Model, OutputFormat, ProcessingError

    model, error, writer = Model.load(str(model_path)), ProcessingError(), OutputFormat.newConlluOutputFormat()
    if model is None:
        sys.exit(f"udpipe: cannot load {model_path}")
    with output.open("w", encoding="utf-8") as file:
        for sentence in read(source):
            if not model.parse(sentence, f"beam_search={beam}", error):
                sys.exit(f"udpipe: {error.message}")
            file.write(writer.writeSentence(sentence))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("train", "parse"))
    parser.add_argument("paths", nargs=3, type=Path)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--no-vectors", action="store_true")
    arguments = parser.parse_args()
    first, second, third = arguments.paths
    if arguments.action == "train":
        train(first, second, third, arguments.iterations, vectors=not arguments.no_vectors)
    else:
        parse(first, second, third, arguments.beam)


if __name__ == "__main__":
    main()
