"""Lets the tests beside it import trimdtest, and gives them folders that go with them."""
import os, shutil, sys, tempfile

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def made():
    """A folder that other users may enter."""
    folder = tempfile.mkdtemp(prefix="trimd-test.")
    os.chmod(folder, 0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


folder = pytest.fixture(made)
module_folder = pytest.fixture(made, scope="module")
