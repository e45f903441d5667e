"""No module imports itself by way of others, and nothing but the command imports the commands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "tasuki"
Imports = Mapping[str, set[str]]


def module_of(path: Path, root: Path) -> str:
    """tasuki.model.forecast of tasuki/model/forecast.py, where `root` is tasuki."""
    words = [root.name, *path.relative_to(root).with_suffix("").parts]
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


def named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """All imports of a source, those inside of functions too: the module and the name taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not followed"
            yield from ((node.module or "", alias.name) for alias in node.names)


def imports(root: Path) -> Imports:
    """Which modules below `root` each of them imports."""
    sources = {module_of(path, root): path for path in sorted(root.rglob("*.py"))}
    found: dict[str, set[str]] = {}
    for module, path in sources.items():
        words = named(ast.parse(path.read_text()))
        asked = {f"{base}.{name}" if f"{base}.{name}" in sources else base for base, name in words}
        found[module] = {other for other in asked if other in sources} - {module}
    return found


def circle(found: Imports) -> list[str]:
    """The modules of one circle in their order; empty where there is none."""
    done: set[str] = set()

    def walk(module: str, above: list[str]) -> list[str]:
        if module in above:
            return [*above[above.index(module) :], module]
        if module in done:
            return []
        for other in sorted(found[module]):
            turn = walk(other, [*above, module])
            if turn:
                return turn
        done.add(module)
        return []

    return next((turn for module in sorted(found) if (turn := walk(module, []))), [])


def by_folder(found: Imports, inside: str) -> Imports:
    """The same between the folders of the package `inside`, and the modules beside them."""
    depth = inside.count(".") + 2
    packages = {module for module in found if any(other.startswith(f"{module}.") for other in found)}

    def room(module: str) -> str:
        words = module.split(".")
        top = ".".join(words[:depth])
        return top if top in packages else module

    rooms: dict[str, set[str]] = {}
    for module, others in found.items():
        if module.startswith(f"{inside}."):
            here = {room(other) for other in others if other.startswith(f"{inside}.")}
            rooms.setdefault(room(module), set()).update(here - {room(module)})
    return rooms


def upward(found: Imports) -> list[str]:
    """Imports of a command, or of what registers them, by what stands below."""
    top = ("tasuki.cli", "tasuki.__main__")
    return [
        f"{module} imports {other}"
        for module, others in sorted(found.items())
        for other in sorted(others)
        if (other in top and module not in top)
        or (other.startswith("tasuki.commands") and not module.startswith((*top, "tasuki.commands")))
    ]


def test_no_circles() -> None:
    assert circle(imports(SOURCES)) == []


def test_no_circles_between_the_folders_of_the_translator() -> None:
    """front, analysis, host, and on these kernels, lift and shared."""
    found = by_folder(imports(SOURCES), "tasuki.lang")
    assert circle(found) == []
    assert found["tasuki.lang.front"] == set()
    assert found["tasuki.lang.analysis"] == {"tasuki.lang.front"}
    assert not found["tasuki.lang.host"] & {f"tasuki.lang.{name}" for name in ("kernels", "lift", "shared")}


def test_nothing_imports_upward() -> None:
    assert upward(imports(SOURCES)) == []


def test_every_command_is_a_file_of_its_own() -> None:
    files = {path.stem for path in (SOURCES / "commands").glob("*.py")} - {"__init__", "arguments"}
    assert files == {"run", "cmake_dir", "info", "plot", "model", "tune", "argon", "wilson", "cc"}
    registered = imports(SOURCES)["tasuki.cli"]
    assert {f"tasuki.commands.{name}" for name in files} <= registered


def test_a_circle_would_be_seen(tmp_path: Path) -> None:
    root = tmp_path / "tasuki"
    (root / "commands").mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "a": "from tasuki import b",
        "b": "def f():\n    from tasuki.c import x",
        "c": "import tasuki.a",
        "commands/run": "import tasuki.a",
        "d": "from tasuki.commands import run",
    }.items():
        (root / f"{name}.py").write_text(text)
    found = imports(root)
    assert circle(found) == ["tasuki.a", "tasuki.b", "tasuki.c", "tasuki.a"]
    assert upward(found) == ["tasuki.d imports tasuki.commands.run"]
    found = {"t": set(), "t.a": set(), "t.b": set(), "t.a.x": {"t.b.y"}, "t.b.y": {"t.a.z"}, "t.a.z": set()}
    assert circle(found) == []
    assert circle(by_folder(found, "t")) == ["t.a", "t.b", "t.a"]
