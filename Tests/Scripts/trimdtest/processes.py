"""Other programs, run to their end, and their answers."""
import json, os, subprocess

from . import paths


def run(*command, **options):
    """Runs a command without input; its output as bytes. A failure is the caller's to look at."""
    told = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "check": False}
    return subprocess.run(command, **(told | options))


def need(*command, **options):
    """Runs a command that has to succeed."""
    done = run(*command, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))[:300]}: exit code {done.returncode}: {error_of(done)}")
    return done


def ffmpeg(*words):
    """Makes a file."""
    return need("ffmpeg", "-v", "error", "-nostdin", "-y", *words)


def ffprobe(path, *words):
    """ffprobe's answer as JSON; empty where it has none."""
    return json.loads(run("ffprobe", "-v", "error", "-of", "json", *words, path).stdout or b"{}")


def last_json(done):
    """The last line of a program's output as JSON; an empty object where it is none."""
    lines = text(done.stdout).strip().splitlines()
    try:
        return json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {}


def error_of(done):
    """The last line of a program's errors, else of its output."""
    lines = (text(done.stderr).strip() or text(done.stdout).strip()).splitlines()
    return lines[-1] if lines else "said nothing"


def text(output):
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def presets():
    """The presets that come with trimd: their JSON by ID."""
    found = {}
    for name in sorted(os.listdir(paths.PRESETS)):
        if name.endswith(".json"):
            with open(os.path.join(paths.PRESETS, name)) as file:
                preset = json.load(file)
            found[preset["id"]] = preset
    return found
