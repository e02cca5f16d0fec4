"""The engine's hash of features, from its definition."""

from __future__ import annotations

from panparser.inspection.naive_features import ABSENT, ROOT

BITS = 2**64

# --- The engine's hash, from its definition: equal keys mean equal values, so naive values must lead to its keys ---


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % BITS
    x = (x ^ x >> 27) * 0x94D049BB133111EB % BITS
    return x ^ x >> 31


def hash_text(text):
    data = text.encode()
    code = len(data) * 0x9E3779B97F4A7C15 % BITS
    for at in range(0, len(data), 8):
        code = mix(code ^ int.from_bytes(data[at : at + 8], "little"))
    return mix(code)


def small(number):
    return mix((number + 3) * 0x9E3779B97F4A7C15 % BITS)


def hash_value(atom, value, actions, labels):
    if atom.name == "history":
        return small(actions.index(value) + 1 if value else 0)
    if atom.name == "label":
        return small(-1 if value is None else labels.index(value))
    if atom.name.endswith("_labels"):
        return mix(sum(1 << labels.index(label) % 64 for label in value))
    if atom.name.endswith("_valency"):
        return small(value)
    if atom.name in ("distance", "between"):
        return small(-1 if value == ABSENT else value)
    special = {ROOT: 0x5D1D47E3A1C9F00F, ABSENT: 0xA7B5E2C94F3D1683}
    return special[value] if value in special else hash_text(value)


def key_of(number, template, values, actions, labels):
    key = mix(number + 1)
    for place, (atom, value) in enumerate(zip(template.atoms, values, strict=True)):
        hashed, turn = hash_value(atom, value, actions, labels), 13 * place % 64
        key += hashed << turn | hashed >> (64 - turn)
    return (key % BITS & ~511 | number) or 512
