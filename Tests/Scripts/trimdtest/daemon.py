"""A private trimd: its socket, state and log lie in a folder of the check's own."""
import json, os, subprocess, time

from . import paths
from .peer import Peer
from .processes import run


class Daemon:
    """A running trimd. Ends with its `with` block."""

    def __init__(self, folder, *options, programs=None, workers=2, settings=None, prefix=(), environment=None, name="trimd", **popen):
        """Boots it and waits until it accepts connections.

        `options` are further words of its command line (`workers` None: as many as usual), `settings` its trimd.json, `prefix` a command
        that runs it (for another user), `name` that of its files in the folder.
        """
        self.folder, self.programs = folder, programs or paths.programs()
        self.prefix, self.environment = list(prefix), environment
        self.socket, self.log = (os.path.join(folder, name + end) for end in (".sock", ".log"))
        words = ["--socket", self.socket, "--state", os.path.join(folder, "state"), "--presets", paths.PRESETS]
        if workers is not None:
            words += ["--workers", str(workers)]
        if settings is not None:
            words += ["--config", os.path.join(folder, name + ".json")]
            with open(words[-1], "w") as file:
                json.dump(settings, file)
        self.command = [*self.prefix, os.path.join(self.programs, "trimd"), *words, *options]
        self.popen = popen
        self.boot()

    def boot(self):
        """Starts the process, also after its end; the seconds until it accepted a connection."""
        began = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, **({"stdin": subprocess.DEVNULL, "stderr": log, "env": self.environment} | self.popen))
        while True:
            try:
                Peer(self.socket).close()
                return time.monotonic() - began
            except OSError:
                if self.process.poll() is not None or time.monotonic() - began > 20:
                    with open(self.log, errors="replace") as log:
                        raise SystemExit("trimd does not start: " + log.read().strip()[-2000:]) from None
                time.sleep(0.005)

    def trimctl(self, *words, **options):
        """Runs trimctl against it, as its user."""
        return run(*self.prefix, os.path.join(self.programs, "trimctl"), *words, "--socket", self.socket,
                   **({"timeout": 900, "env": self.environment} | options))

    @property
    def is_running(self):
        return self.process.poll() is None

    def end(self):
        """Asks it to end; its exit status."""
        if self.is_running:
            self.process.terminate()
        return self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
