"""The parser of the table language: Python's grammar, restricted to the vocabulary; no other code is executed."""

from __future__ import annotations

import ast
import operator
from difflib import get_close_matches
from typing import Any

from panparser.errors import DeclarationError
from panparser.systems import terms
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT

_NAMES = (
    "S0 S1 S2 B0 L0 ROOT STACK BUFFER LIST "
    "size tree is_word is_root is_attached is_unattached span precedes dominates does_not_dominate any_of "
    "unattached above_bottom shift pop back aside restore clear arc propose head children headless wants wanting"
)
WORDS: dict[str, Any] = {name: getattr(terms, name) for name in _NAMES.split()} | {
    "LEFT": HEAD_LEFT,
    "RIGHT": HEAD_RIGHT,
}
METHODS = ("among", "when")
_OPERATORS: dict[type, Any] = {
    ast.Sub: operator.sub,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
}


def parse_term(text: str) -> terms.TermLike:
    """The condition, effect or loss described by the text. Raises TableError, which shows the text with a caret."""
    if not isinstance(text, str):
        raise DeclarationError(f"expected a term as text; got {text!r}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = getattr(error, "offset", None) or 1
        reason = error.msg if isinstance(error, SyntaxError) else "nested too deeply"
        raise DeclarationError(_point(text, offset - 1, offset, f"cannot read this: {reason}")) from None
    try:
        value = _read(tree, text.strip())
    except RecursionError:
        raise DeclarationError(_point(text, 0, 10, "this is nested too deeply")) from None
    if not isinstance(value, terms.StateCondition | terms.AnyOf | terms.Effect | terms.Loss):
        raise DeclarationError(_point(text, 0, len(text), "expected a condition, an effect or a loss"))
    return value


def _read(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Name(id=name):
            if name in WORDS:
                return WORDS[name]
            near = [word for word in WORDS if word.lower() == name.lower()] or get_close_matches(name, WORDS, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; the words are {', '.join(WORDS)}"
            raise _error(node, text, f"unknown word {name}{hint}")
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _call(node, text, _OPERATORS[type(op)], _read(left, text), _read(right, text))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            count, bound = _read(left, text), _read(right, text)
            if not isinstance(count, terms.Count):
                raise _error(left, text, "only size(...) and span(...) can be compared")
            return _call(right, text, _OPERATORS[type(op)], count, bound)
        case ast.Call(func=func, args=args, keywords=keywords):
            named = {keyword.arg: _read(keyword.value, text) for keyword in keywords if keyword.arg}
            return _call(node, text, _function(func, text), *[_read(arg, text) for arg in args], **named)
    hint = {
        ast.BoolOp: "; write several conditions, or any_of(...)",
        ast.UnaryOp: "; conditions come in pairs, like is_word and is_root",
        ast.Compare: "; counts compare with >=, <= and ==",
    }.get(type(node), "")
    raise _error(node, text, f"this is not part of the table language{hint}")


def _function(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Attribute):
        owner = _read(node.value, text)
        if isinstance(owner, type):
            raise _error(node.value, text, f"expected a token after {owner.__name__}: {owner.__name__}(S0)")
        if node.attr in METHODS and hasattr(owner, node.attr):
            return getattr(owner, node.attr)
        start = (node.end_col_offset or 0) - len(node.attr)
        near = [name for name in METHODS if hasattr(owner, name)]
        hint = f"; did you mean {near[0]}?" if near else ""
        raise DeclarationError(_point(text, start, start + len(node.attr), f"unknown word {node.attr} here{hint}"))
    function = _read(node, text)
    if not callable(function):
        raise _error(node, text, f"{function} takes no arguments")
    return function


def _call(node: ast.expr, text: str, function: Any, *args: Any, **named: Any) -> Any:
    try:
        return function(*args, **named)
    except DeclarationError as error:
        raise _error(node, text, str(error)) from None
    except TypeError as error:  # wrong operands, wrong number of arguments
        raise _error(node, text, str(error).replace("()", "", 1)) from None


def _error(node: ast.expr, text: str, problem: str) -> DeclarationError:
    return DeclarationError(_point(text, node.col_offset, node.end_col_offset or node.col_offset + 1, problem))


def _point(text: str, start: int, end: int, problem: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else "(nothing)"
    start = min(start, len(line))
    return f"{problem}\n    {line}\n    {' ' * start}{'^' * max(1, min(end, len(line)) - start)}"
