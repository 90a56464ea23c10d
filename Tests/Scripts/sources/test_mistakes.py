"""The mistakes of mutation-check can be made: each names a text that its file has once."""
import importlib.machinery, importlib.util, os

import pytest

from trimdtest import sources
from trimdtest.paths import SCRIPTS

LOADER = importlib.machinery.SourceFileLoader("mutation_check", os.path.join(SCRIPTS, "faults/mutation-check"))
MUTATION_CHECK = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutation_check", LOADER))
LOADER.exec_module(MUTATION_CHECK)


@pytest.mark.parametrize("name", MUTATION_CHECK.MISTAKES)
def test_a_mistake_can_be_made(name):
    for path, text, _ in MUTATION_CHECK.MISTAKES[name]:
        assert sources.read(path).count(text) == 1, (path, text)
