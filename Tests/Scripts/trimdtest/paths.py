"""The places of the checkout, of the programs under test, and of the media and tools that may lie beside it."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
SCRIPTS = os.path.join(ROOT, "Tests/Scripts")
PRESETS = os.path.join(ROOT, "Presets")
MEDIA = os.environ.get("MEDIA") or os.path.join(os.path.dirname(ROOT), "shared", "media")
TOOLS = os.environ.get("TOOLS") or os.path.join(os.path.dirname(ROOT), "shared", "tools")


def programs(default=".build/release"):
    """The folder of trimd, trimctl and trim-worker: TRIMD_PROGRAMS, else a folder of the checkout."""
    return os.path.join(ROOT, os.environ.get("TRIMD_PROGRAMS") or default)
