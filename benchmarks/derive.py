"""How long `derive` takes for the built-in systems, and how many losses it finds.

python benchmarks/derive.py [> benchmarks/results/derive.txt]
"""

from __future__ import annotations

import time

from machine import heading

import panparser as pp

SYSTEMS = (
    "arc-hybrid",
    "arc-eager",
    "non-monotonic-arc-eager",
    "arc-eager-partial",
    "arc-hybrid-partial",
    "arc-eager-span",
    "arc-hybrid-span",
    "arc-standard",
)


def main() -> None:
    print(heading())
    print("losses (those of the built-in table for the same golds), proven up to five words; CPU seconds\n")
    print(f"{'system':<28}{'Root':<7}{'roots':<8}{'losses':>12}{'directions':>12}{'seconds':>9}")
    for name in SYSTEMS:
        for root in ("first", "last"):
            for single in (False, True):
                if single and name.endswith(("partial", "span")):
                    continue
                system = pp.system(name, root=root, single_root=single)
                start = time.process_time()
                found = pp.proofs.derive_losses(system)
                seconds = time.process_time() - start
                roots = "single" if single else "any"
                print(f"{name:<28}{root:<7}{roots:<8}{_losses(found, system)}{seconds:>9.1f}", flush=True)


def _losses(found: pp.proofs.DerivedLosses, system: pp.TransitionSystem) -> str:
    if found.system is None:
        return f"{'none fits':>12}{'':>12}"
    counts = []
    for directed in (False, True):
        sizes = [
            sum((loss.kind in loss.IS_DIRECTED) == directed for row in table.transitions for loss in row.loses)
            for table in (found.system, system)
        ]
        counts.append(f"{sizes[0]} ({sizes[1]})" if sizes[0] else "none fits")
    return "".join(f"{count:>12}" for count in counts)


if __name__ == "__main__":
    main()
