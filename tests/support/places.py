"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the project
DATA, GOLDEN = ROOT / "tests" / "data", ROOT / "tests" / "golden"
ENGLISH = DATA / "english.conllu"
EXAMPLES = ROOT / "examples"
SHARED = ROOT.parent / "shared" / "data"  # real treebanks; on few machines
