"""Count wordings that the style rules out; no count may grow.

Usage: python tools/check_voice.py [--list RULE | --lower]

A budget per rule lies in voice_budgets.json. A count above its budget is an error, and so is one below it, until
`--lower` writes it: what has been improved stays improved. `--lower` never raises a budget.

Python is read by `ast`; C++, JavaScript and Markdown by line. A comment `voice: ok (reason)` excuses its line, or the
string that ends on it. The rules, and the words of the field that look like hits, are in voice_rules.py.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from voice_rules import FIELD_NAMES, RULES

ROOT = Path(__file__).parents[1]
BUDGETS = Path(__file__).with_name("voice_budgets.json")
FOLDERS = ("src", "engine", "tests", "benchmarks", "tools", "examples", "fuzz", "docs")
UNREAD = {"cli.md", "CHANGELOG.md", "voice_rules.py", "test_check_voice.py"}  # generated; history; lists of these words
HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
MAX_NEW_FILE_LINES = 2000
EXCUSE = re.compile(r"voice: ok \([^)]+\)")
NAME_KINDS = {"variable", "function", "predicate", "class"}
Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# Strings are matched so that a # in one does not begin a comment.
PYTHON_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' r"'''(?:\\.|[^\\])*?'''" r'|"(?:\\.|[^"\\])*"' r"|'(?:\\.|[^'\\])*'|(#[^\n]*)", re.DOTALL
)
DECLARED = {
    ".js": re.compile(r"\b(?:const|let|function)\s+([A-Za-z_]\w*)"),
    ".cpp": re.compile(
        r"\b(?:auto|bool|int|float|double|void|Index|std::\w+|[A-Z]\w*)[&*]*\s+([a-z_]\w*?)_?\s*(?=[=({;,):])"
    ),
}
DECLARED[".hpp"] = DECLARED[".cpp"]
CODE_COMMENT = re.compile(r"(?:^|\s)//+\s?(.*)$|^\s*/?\*+\s(.*)$")
CODE_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
NO_PROSE = re.compile(r"<!--.*?-->|`[^`]*`|\]\([^)]*\)")


class Text(NamedTuple):
    """A piece of a file: a name, or the words of a docstring, comment, string or line."""

    kind: str
    text: str
    line: int
    last_line: int


class Hit(NamedTuple):
    """A place at which a rule matches."""

    rule: str
    path: str
    line: int
    text: str


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is a property or a cached property."""
    return any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list)


def is_number(node: ast.expr | None) -> bool:
    """Return whether an expression is a number, or a calculation with numbers."""
    return node is not None and all(
        isinstance(part, ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        or (isinstance(part, ast.Constant) and type(part.value) in {int, float})
        for part in ast.walk(node)
    )


def docstring_of(node: Definition) -> ast.Constant | None:
    """Return the docstring of a definition, None if it has none."""
    statement = node.body[0] if node.body else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value if isinstance(statement.value.value, str) else None
    return None


def bound_name(node: ast.AST) -> str | None:
    """Return the name that a node binds as a parameter, variable or attribute; None if it binds no name."""
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.id if isinstance(node, ast.Name) else node.attr
    return None


def string_text(kind: str, node: ast.expr) -> Text:
    """Return the text of a string or f-string, with {} for each placeholder."""
    values = node.values if isinstance(node, ast.JoinedStr) else [node]
    parts = (value.value if isinstance(value, ast.Constant) else "{}" for value in values)
    return Text(kind, "".join(map(str, parts)), node.lineno, node.end_lineno or node.lineno)


def read_definition(node: Definition) -> Iterator[Text]:
    """Yield the name of a definition, its docstring, and the numbers that are constants of a module."""
    doc_kind = "value-doc"
    if isinstance(node, ast.ClassDef):
        yield Text("class", node.name, node.lineno, node.lineno)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        kind, name = ("test", node.name.replace("_", " ")) if node.name.startswith("test_") else ("function", node.name)
        yield Text(kind, name, node.lineno, node.lineno)
        if isinstance(node.returns, ast.Name) and node.returns.id == "bool":
            yield Text("predicate", node.name, node.lineno, node.lineno)
        if not is_property(node):
            doc_kind = "function-doc"
    else:
        for statement in node.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and is_number(statement.value):
                target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
                yield Text("number", ast.unparse(target), statement.lineno, statement.lineno)
    if docstring := docstring_of(node):
        yield string_text(doc_kind, docstring)


def read_python(source: str, *, has_messages: bool = True) -> Iterator[Text]:
    """Yield the names, docstrings, comments and, if they are messages rather than data, the strings of a module."""
    read: set[int] = set()  # docstrings, help texts and parts of f-strings
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Definition):
            yield from read_definition(node)
            read.add(id(docstring_of(node)))
        elif isinstance(node, ast.Call) and (texts := [word.value for word in node.keywords if word.arg == "help"]):
            read.add(id(texts[0]))
            is_declared = isinstance(node.func, ast.Name) and node.func.id == "option"  # shown in the reference
            yield string_text("option-help" if is_declared else "help", texts[0])
        elif isinstance(node, ast.JoinedStr | ast.Constant):
            if has_messages and id(node) not in read:
                read.update(id(part) for part in ast.walk(node))
                if (text := string_text("string", node)).text.count(" ") > 1:
                    yield text
        elif name := bound_name(node):
            yield Text("variable", name, node.lineno, node.lineno)  # type: ignore[attr-defined]
    line, position = 1, 0
    for match in PYTHON_COMMENT.finditer(source):
        if match[1]:
            line += source.count("\n", position, match.start())
            position = match.start()
            yield Text("comment", match[1], line, line)


def read_code(source: str, suffix: str) -> Iterator[Text]:
    """Yield the comments, strings and declared names of C++ or JavaScript."""
    for number, line in enumerate(source.splitlines(), 1):
        code = line
        if comment := CODE_COMMENT.search(line):
            yield Text("comment", comment[1] or comment[2] or "", number, number)
            code = line[: comment.start()]
        for match in CODE_STRING.finditer(code):
            if (text := match[1] or match[2] or "").count(" ") > 1:
                yield Text("string", text, number, number)
        for name in DECLARED[suffix].findall(CODE_STRING.sub("", code)):
            yield Text("variable", name, number, number)


def read_page(source: str) -> Iterator[Text]:
    """Yield the lines of a page without code, comments and addresses."""
    is_fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced:
            yield Text("page", NO_PROSE.sub(" ", line), number, number)


@cache
def matches(kind: str, text: str) -> tuple[tuple[str, int], ...]:
    """Return the rules that a text breaks, and how many lines into it."""
    if kind in NAME_KINDS and (text.strip("_") in FIELD_NAMES or text.startswith("__")):
        return ()
    return tuple(
        (name, text.count("\n", 0, match.start()))
        for name, rule in RULES.items()
        if kind in rule.kinds
        for match in rule.pattern.finditer(text)
    )


def file_hits(source: str, path: str) -> Iterator[Hit]:
    """Yield the hits of all rules in a file."""
    suffix = Path(path).suffix
    if suffix == ".py":
        texts = read_python(source, has_messages=not path.startswith("tests/"))
    else:
        texts = read_page(source) if suffix == ".md" else read_code(source, suffix)
    lines = source.splitlines()
    for kind, text, first, last in texts:
        for name, offset in matches(kind, text):
            line = min(first + offset, last)
            if not any(EXCUSE.search(lines[number - 1]) for number in (line, last)):
                yield Hit(name, path, line, lines[line - 1].strip())


def all_hits(root: Path) -> list[Hit]:
    """Return the hits in all files, in order."""
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))] + sorted(root.glob("*.md"))
    return [
        hit
        for path in paths
        if path.suffix in {".py", ".md", *DECLARED} and path.name not in UNREAD
        for hit in file_hits(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
    ]


def changed_lines(root: Path) -> set[tuple[str, int]]:
    """Return the lines, as path and number, that have changed since the budgets were committed; empty without git."""

    def git(*arguments: str) -> list[str]:
        command = ["git", "-c", "core.quotePath=false", *arguments]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()

    try:
        (base,) = git("log", "-1", "--format=%H", "--", f"tools/{BUDGETS.name}")
        diff = git("diff", "--unified=0", "--no-color", "--no-ext-diff", "--find-renames", base)
        new_files = git("ls-files", "--others", "--exclude-standard")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return set()
    lines = {(path, number) for path in new_files for number in range(1, 1 + MAX_NEW_FILE_LINES)}
    path = ""
    for line in diff:
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
        elif hunk := HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update((path, number) for number in range(start, start + count))
    return lines


def check(hits: list[Hit], budgets: dict[str, int]) -> list[str]:
    """Return what is wrong: counts that have grown, with their new lines, and budgets that can be lowered."""
    counts = Counter(hit.rule for hit in hits)
    grown = [name for name in RULES if counts[name] > budgets.get(name, 0)]
    fallen = [name for name in RULES if counts[name] < budgets.get(name, 0)]
    changed = changed_lines(ROOT) if grown else set()
    report = []
    for name in grown:
        report.append(
            f"{name}: {counts[name]} hits, budget {budgets.get(name, 0)}; write instead: {RULES[name].instead}"
        )
        report += [
            f"  {hit.path}:{hit.line}: {hit.text}"
            for hit in hits
            if hit.rule == name and (hit.path, hit.line) in changed
        ]
    if grown:
        report.append("`python tools/check_voice.py --list RULE` lists all hits of a rule")
    if fallen:
        numbers = ", ".join(f"{name} {budgets[name]} -> {counts[name]}" for name in fallen)
        report.append(f"fewer hits than budgets: {numbers}; run `python tools/check_voice.py --lower` and commit")
    return report


def lowered(hits: list[Hit], budgets: dict[str, int]) -> dict[str, int]:
    """Return the budgets lowered to the counts; a rule without a budget gets its count."""
    counts = Counter(hit.rule for hit in hits)
    return {name: min(counts[name], budgets.get(name, counts[name])) for name in sorted(RULES)}


def main(arguments: list[str] | None = None) -> int:
    """Check the counts, list the hits of a rule, or lower the budgets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="RULE", choices=RULES, help="Print all hits of a rule.")
    parser.add_argument("--lower", action="store_true", help="Write counts that have fallen as budgets.")
    options = parser.parse_args(arguments)
    hits = all_hits(ROOT)
    if options.list:
        print("\n".join(f"{hit.path}:{hit.line}: {hit.text}" for hit in hits if hit.rule == options.list))
        return 0
    budgets = json.loads(BUDGETS.read_text(encoding="utf-8")) if BUDGETS.exists() else {}
    if options.lower:
        budgets = lowered(hits, budgets)
        BUDGETS.write_text(json.dumps(budgets, indent=2) + "\n", encoding="utf-8")
    report = check(hits, budgets)
    print("\n".join(report) or f"voice: {len(RULES)} rules, no count has grown")
    return bool(report)


if __name__ == "__main__":
    sys.exit(main())
