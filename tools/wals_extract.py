"""Makes the extract of WALS that comes with panparser: word order and articles of all its languages.

    python tools/wals_extract.py FOLDER     # with v2020/cldf/{languages,values}.csv and ud_to_wals.tsv

FOLDER is WALS Online in CLDF (https://github.com/cldf-datasets/wals, v2020), CC BY 4.0, with a table of the codes of
Universal Dependencies: ud_code, wals_code, the best described language of a code first. The same data gives the same
bytes.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from panparser.transfer.dependents import CLASSES
from panparser.transfer.wals import COLUMNS, FILE

NOTE = """\
# Extract of WALS Online (v2020), edited by Matthew S. Dryer and Martin Haspelmath, https://wals.info, CC BY 4.0.
# Changes: twelve features, as numbers of values; codes of languages added. README.md has the details.
"""
# ISO 639-1, which Universal Dependencies uses where there is such a code, for languages that the table of codes lacks.
TWO_LETTERS = """
aa aar  ab abk  ae ave  af afr  ak aka  am amh  an arg  as asm  av ava  ay aym  az azj  ba bak  bi bis  bm bam  bn ben
bo bod  bs bos  ce che  ch cha  co cos  cv chv  cy cym  dv div  dz dzo  ee ewe  eo epo  ff ful  fj fij  fy fry  gd gla
gn gug  gu guj  gv glv  ha hau  ho hmo  ht hat  hy hye  hz her  ig ibo  is isl  iu ike  jv jav  ka kat  ki kik  kl kal
km khm  kn kan  kr knc  ks kas  kv kpv  kw cor  ky kir  la lat  lb ltz  lg lug  li lim  ln lin  lo lao  lu lub  mg plt
mh mah  mi mri  mk mkd  ml mal  mn khk  mr mar  ms zsm  mt mlt  my mya  na nau  nb nob  nd nde  ne npi  ng ndo  nr nbl
nv nav  ny nya  oc oci  oj ojg  om gaz  or ory  os oss  pa pan  ps pbu  qu quz  rm roh  rn run  rw kin  sa san  sc srd
sd snd  se sme  sg sag  si sin  sm smo  sn sna  so som  sq als  sr srp  ss ssw  st sot  su sun  sw swh  te tel  tg tgk
th tha  ti tir  tk tuk  tl tgl  tn tsn  to ton  ts tso  tt tat  tw twi  ty tah  uz uzn  ve ven  wa wln  wo wol  xh xho
yi ydd  yo yor  za zyb  zu zul
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = extract(folder)
    FILE.write_text(NOTE + "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows)), encoding="utf-8", newline="\n")
    described = sum(any(row[-len(CLASSES) :]) for row in rows)
    print(f"{FILE}: {len(rows)} languages, {described} with at least one feature")


def extract(folder: Path) -> list[tuple[str, ...]]:
    """Rows by WALS code."""
    languages = _read(folder / "v2020" / "cldf" / "languages.csv")
    features = [each.feature for each in CLASSES]
    values: dict[str, dict[str, str]] = {}
    for row in _read(folder / "v2020" / "cldf" / "values.csv"):
        if row["Parameter_ID"] in features:
            values.setdefault(row["Language_ID"], {})[row["Parameter_ID"]] = row["Value"]
    languages.sort(key=lambda row: (-len(values.get(row["ID"], {})), row["ID"]))
    codes = _ud_codes(folder / "ud_to_wals.tsv", languages)
    return [
        (
            row["ID"],
            row["Name"],
            codes.get(row["ID"], ""),
            row["ISO_codes"],
            row["Glottocode"],
            row["Genus"],
            row["Family"],
            *(values.get(row["ID"], {}).get(feature, "") for feature in features),
        )
        for row in sorted(languages, key=lambda row: row["ID"])
    ]


def _ud_codes(path: Path, languages: list[dict[str, str]]) -> dict[str, str]:
    """By WALS code, its codes in Universal Dependencies, with the rank of all but the first that has a code: `zh/2`.

    `languages` are in order, those that most is known of first.
    """
    found: dict[str, list[str]] = {}
    for row in _read(path, "\t"):
        found.setdefault(row["ud_code"], []).append(row["wals_code"])
    pairs = TWO_LETTERS.split()
    for code, iso in zip(pairs[::2], pairs[1::2], strict=True):
        alike = [row["ID"] for row in languages if iso in row["ISO_codes"].split()]
        found.setdefault(code, alike)
    ranked: dict[str, list[str]] = {}
    for code, names in found.items():
        for rank, name in enumerate(names, start=1):
            ranked.setdefault(name, []).append(code if rank == 1 else f"{code}/{rank}")
    return {name: " ".join(codes) for name, codes in ranked.items()}


def _read(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


if __name__ == "__main__":
    main()
