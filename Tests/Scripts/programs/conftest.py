"""Programs under test: those of TRIMD_PROGRAMS, else of .build/debug."""
import os, pytest

from trimdtest import paths


@pytest.fixture(scope="session")
def programs():
    folder = os.path.abspath(paths.programs(".build/debug"))
    if not os.access(f"{folder}/trimd", os.X_OK):
        pytest.exit(f"there is no trimd in {folder}; build first, or set TRIMD_PROGRAMS", 2)
    return folder
