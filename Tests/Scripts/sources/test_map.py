"""Sources/README.md and Tests/README.md against the sources: the diagram is Package.swift's, and all that they name exists.

UPDATE=1 (`make map`) writes the diagram anew.
"""
import os, re

import pytest

from trimdtest import sources
from trimdtest.paths import ROOT

MAP, TESTS = "Sources/README.md", "Tests/README.md"
DIAGRAM = re.compile(r"```mermaid\n.*?```\n", re.S)
NAME = re.compile(r"`([^`\n]+)`")


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def section(title):
    """The text below a heading, up to the next."""
    return sources.read(MAP).split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def exists(name):
    """Whether a file, folder, make target, protocol method or declaration has this name."""
    if name.startswith("make "):
        return re.search(rf"^{re.escape(name[5:])}:", sources.read("Makefile"), re.M)
    places = [os.path.join(ROOT, part, name) for part in ("", "Sources")]
    if any(map(os.path.exists, places)):
        return True
    if re.fullmatch(r"[A-Z]+", name):
        return re.search(rf"^(export )?{name} *\??=", sources.read("Makefile"), re.M)
    if "/" in name or name.endswith(".swift"):
        return False
    if re.fullmatch(r"[a-z]+\.[a-z]+", name) and f'"{name}"' in sources.read("Sources/Wire/Wire.docc/protocol.schema.json"):
        return True
    return all(part in sources.declared() for part in re.sub(r"\(.*\)$", "", name).split("."))


def test_the_diagram_is_that_of_the_package():
    text, drawn = sources.read(MAP), sources.diagram()
    if os.environ.get("UPDATE"):
        with open(os.path.join(ROOT, MAP), "w", encoding="utf-8") as file:
            file.write(DIAGRAM.sub(lambda _: drawn, text))
        text = sources.read(MAP)
    assert DIAGRAM.findall(text) == [drawn], "the targets have changed: run make map"


@pytest.mark.parametrize("name", sorted({name for page in (MAP, TESTS) for name in NAME.findall(without_code(sources.read(page)))}))
def test_each_name_exists(name):
    assert exists(name)


def test_each_target_of_the_tests_is_explained():
    targets = set(re.findall(r"^(test[a-z-]*|bench|lint):.*##", sources.read("Makefile"), re.M))
    assert targets - set(re.findall(r"^\| `make ([a-z-]+)`", sources.read(TESTS), re.M)) == set()


def test_a_name_that_is_nowhere_is_found_out():
    assert not exists("NoSuchDeclaration") and not exists("Export/Nowhere") and not exists("make nothing") and not exists("job.explode")


def test_the_walk_is_fifteen_lines():
    steps = [line for line in section("The way of one export").splitlines() if re.match(r"\d+\. ", line)]
    assert len(steps) == 15 and all(NAME.search(step) for step in steps)


def test_each_folder_is_on_the_map():
    listed = {name for row in section("The folders").splitlines() if row.startswith("|") for name in NAME.findall(row.split("|")[1])}
    sub = ("Source", "Render", "Pictures", "Check", "Export", "JobQueue", "trimd", "trimctl")
    folders = set(os.listdir(os.path.join(ROOT, "Sources"))) - {"README.md"}
    folders |= {f"{top}/{name}" for top in sub for name in os.listdir(os.path.join(ROOT, "Sources", top))
                if os.path.isdir(os.path.join(ROOT, "Sources", top, name)) and not name.endswith(".docc")}
    assert sorted(folders - listed) == []
