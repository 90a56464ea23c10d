"""The README, the guide and the recipes are true: each of their commands is run, and gives an output of that shape and an exit code that fits.

UPDATE=1 writes the outputs anew.
"""
import os

import pytest

from trimdtest import readme
from trimdtest.daemon import Daemon
from trimdtest.processes import run, text


class Shell:
    """The shell of the examples' user: the films, and a running trimd."""

    def __init__(self, folder, programs):
        self.home = os.path.join(folder, "ann")
        os.mkdir(self.home)
        readme.make_files(self.home)
        self.daemon = Daemon(folder)
        self.environment = {**os.environ, "HOME": self.home, "TRIMD_SOCKET": self.daemon.socket, "LANG": "C.UTF-8", "COLUMNS": "130",
                            "PATH": f"{programs}:{os.environ['PATH']}", "USER": "ann"}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def run(self, command):
        """The exit code of a command, and what it printed."""
        done = run("bash", "-c", command + " 2>&1", cwd=self.home, env=self.environment, timeout=300)
        return done.returncode, readme.shown(text(done.stdout), self.home)


@pytest.fixture(scope="module")
def shell(tmp_path_factory, programs):
    shell = Shell(str(tmp_path_factory.mktemp("readme")), programs)
    with shell.daemon:
        yield shell


def fits(code, lines):
    """An error, or a preset that is not valid, is printed where a command fails, and nowhere else."""
    return (code != 0) == any(line.startswith(("trimctl: ", "  ✗  ")) for line in lines)


def test_every_command_gives_what_is_shown(shell):
    wrong, count = [], 0
    for document in readme.DOCUMENTS:
        with open(document) as file:
            lines = file.read().split("\n")
        found = readme.examples(lines)
        count += len(found)
        outputs = []
        for example in found:
            code, printed = shell.run(example.command)
            outputs.append(printed)
            if not fits(code, printed) or readme.shape(printed) != readme.shape(example.output):
                wrong.append("\n".join([f"$ {example.command}", f"exit code {code}", "printed:", *printed, f"in {document}:", *example.output]))
        if os.environ.get("UPDATE"):
            for example, printed in reversed(list(zip(found, outputs))):
                lines[example.first:example.after] = printed
            with open(document, "w") as file:
                file.write("\n".join(lines))
    assert count >= 15
    assert not wrong or os.environ.get("UPDATE"), "\n\n".join(wrong)


def test_every_recipe_works(shell):
    recipes = []
    for document in readme.RECIPES:
        with open(document) as file:
            recipes += readme.recipes(file.read().split("\n"))
    assert len(set(recipes)) >= 20
    readme.make_recipe_files(shell.home)
    wrong = []
    # A recipe may stand in both.
    for recipe in dict.fromkeys(recipes):
        code, printed = shell.run("set -o pipefail; " + recipe)
        if code:
            wrong.append("\n".join([f"$ {recipe}", f"exit code {code}", *printed]))
    assert not wrong, "\n\n".join(wrong)


def test_the_readme_is_short():
    with open(readme.DOCUMENTS[0]) as file:
        assert len(file.read().splitlines()) <= 150
