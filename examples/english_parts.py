"""Write train.conllu, dev.conllu and test.conllu, parts of a small English treebank, to the current folder."""

from pathlib import Path

import panparser as pp

treebank = pp.read_conllu(Path(__file__).parents[1] / "tests" / "data" / "english.conllu")
for name, part in (("train", treebank[:100]), ("dev", treebank[100:130]), ("test", treebank[130:160])):
    pp.write_conllu(f"{name}.conllu", part)
    print(f"{name}.conllu: {len(part)} sentences")
