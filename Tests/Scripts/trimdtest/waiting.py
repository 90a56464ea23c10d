"""Conditions that come true in time."""
import time


def within(seconds, holds, pause=0.1):
    """Waits until `holds()` is true, for at most so many seconds; its last value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(pause)
    return holds()
