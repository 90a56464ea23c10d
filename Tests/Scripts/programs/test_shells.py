"""Completions in real shells, manual pages through real formatters, and whether they say what --help says.

Every command's options are asked of bash, zsh and fish as a person would (the last two are skipped where they are not installed),
and looked for in its manual page; all have to be those of --help. Presets and jobs come from a daemon started for it, which
drains, so that no media is needed.
"""
import fcntl, os, pty, re, select, shutil, signal, socket, struct, termios, time

import pytest

from trimdtest import processes
from trimdtest.daemon import Daemon
from trimdtest.paths import ROOT

DOCUMENTS = processes.need("make", "-s", "-C", ROOT, "print-documents", text=True).stdout.split()


class Desk:
    """A draining daemon with three jobs, and what trimctl says of itself."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.environment = {
            "PATH": programs + ":" + os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "TRIMD_SOCKET": folder + "/trimd.sock",
            "MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "XDG_CONFIG_HOME": folder + "/config", "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder}
        self.daemon = Daemon(folder, programs=programs, environment=self.environment)
        self.trimctl("drain")
        for name in ("one.mov", "two films.mov", "three.mov"):
            with open(f"{folder}/{name}", "w") as file:
                file.write("no film")
            self.trimctl("export", name, "--detach")
        self.trimctl("cancel", "2")
        self.trimctl("hold", "3")
        verbs = re.search(r"\nCommands:\n((?:  .*\n)+)", self.trimctl("--help").stdout).group(1)
        self.verbs = re.findall(r"^  ([a-z-]+)", verbs, re.M)
        self.helps = {verb: self.trimctl(verb, "--help").stdout for verb in self.verbs}
        self.options = {verb: set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", text, re.M)) for verb, text in self.helps.items()}

    def run(self, *words):
        return processes.run(*words, text=True, env=self.environment, cwd=self.folder, timeout=120)

    def trimctl(self, *words):
        return self.run(self.programs + "/trimctl", *words)

    def terminal(self, *words):
        return Terminal(self.folder, self.environment, *words)


@pytest.fixture(scope="module")
def desk(module_folder, programs):
    desk = Desk(module_folder, programs)
    yield desk
    desk.daemon.end()


class Terminal:
    """A shell in a pseudo-terminal, typed at."""

    def __init__(self, folder, environment, *words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment | {"TERM": "xterm", "COLUMNS": "240", "LINES": "900"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 900, 240, 0, 0))

    def until(self, pattern, seconds=20):
        text, end = "", time.time() + seconds
        while time.time() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    text += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
                if re.search(pattern, text):
                    break
        return text

    def type(self, text):
        os.write(self.fd, text.encode())

    def settled(self, seconds=0.5):
        text = ""
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                text += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                break
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def holds(what, ok, said=""):
    assert ok, f"{what}: {said}"


def test_help_names_commands_and_options(desk):
    assert len(desk.verbs) > 10 and all(desk.options.values()), desk.options


def test_bash(desk):
    script = f"{desk.folder}/trimctl.bash"
    open(script, "w").write(desk.trimctl("completions", "bash").stdout)
    asked = "".join(f"ask trimctl {verb} --\n" for verb in desk.verbs)
    said = desk.run("bash", "--norc", "-c", f"""
        source {script}
        ask() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trimctl; echo "${{COMPREPLY[*]}}"; }}
        ask trimctl ''
        {asked}
        ask trimctl export in.mov --preset m4v7
        ask trimctl export in.mov --preset = m4v7
        ask trimctl export in.mov --render ''
        ask trimctl export in.mov --start -
        ask trimctl export in.mov --end 5 --json --du
        ask trimctl export in.mov --json --du
        ask trimctl export in.mov --keep 1..2 --kee
        ask trimctl cancel ''
        ask trimctl retry ''
        ask trimctl release ''
        ask trimctl cancel 1 ''
        ask trimctl show 1 ''
        ask trimctl completions ''
        ask trimctl nonsense ''
        ask trimctl cancel --socket {desk.folder}/nobody ''
        ask trimctl check in.mov --type m4
    """)
    lines = iter(said.stdout.split("\n"))
    holds("bash says nothing else", said.stderr == "", said.stderr)
    holds("bash: commands", set(next(lines).split()) == set(desk.verbs) | {"-h", "--help", "-V", "--version"})
    for verb in desk.verbs:
        found = set(next(lines).split())
        holds(f"bash: options of {verb}", found == desk.options[verb], f"{found ^ desk.options[verb]}")
    for what, wanted in [
        ("a preset", "m4v720"), ("a preset behind =", "m4v720"), ("choices", "auto copy smart encode"), ("a time", ""),
        ("what excludes each other is left out", ""), ("and is there otherwise", "--duration"), ("what may repeat stays", "--keep --keep-dates"), ("jobs to cancel", "3 1"),
        ("jobs to try again", "2"), ("jobs to release", "3 1"), ("a second job", "3 1"),
        ("no second where one is taken", "--json --socket -h --help"),
        ("shells", "bash zsh fish"), ("no such command", ""), ("no daemon", ""), ("file types", "m4v m4a m4b m4r")]:
        found = next(lines)
        holds(f"bash: {what}", found == wanted, f"{found!r}, not {wanted!r}")
    # As a person: a name with a space, completed by readline itself.
    shell = desk.terminal("bash", "--norc", "--noprofile", "-i")
    shell.type(f"PS1='> '; source {script}\n")
    shell.until("> $")
    shell.type("trimctl export tw\t")
    found = shell.settled()
    holds("bash: a file, quoted", "two\\ films.mov" in found, found)
    shell.type("\x15trimctl canc\t")
    found = shell.settled()
    holds("bash: a command at the terminal", "trimctl cancel " in found, found)
    shell.close()


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh(desk):
    os.mkdir(desk.folder + "/zsh")
    open(desk.folder + "/zsh/_trimctl", "w").write(desk.trimctl("completions", "zsh").stdout)
    shell = desk.terminal("zsh", "-f", "-i")
    shell.type(f"PS1='> '; unsetopt zle_bracketed_paste beep; LISTMAX=9999; fpath=({desk.folder}/zsh $fpath); "
               f"autoload -U compinit; compinit -u -D; zstyle ':completion:*' menu no; "
               "listed() { zle kill-whole-line; zle -M END''OFLIST }; zle -N listed; bindkey '^E' listed; echo rea''dy\n")
    shell.until(r"\nready[^>]*> ", 180)
    shell.settled()

    def ask(line):
        # Listed, not put in; the line is thrown away.
        shell.type(f"{line}\x04\x05")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shell.until("ENDOFLIST"))

    found = ask("trimctl ")
    holds("zsh: commands", all(re.search(rf"\b{verb} +-- ", found) for verb in desk.verbs), found)
    for verb in desk.verbs:
        found = set(re.findall(r"(?:^|\s)(--[a-z-]+)", ask(f"trimctl {verb} --").split("\n", 1)[-1]))
        holds(f"zsh: options of {verb}", found == desk.options[verb], f"{found ^ desk.options[verb]}")
    for line, wanted, unwanted in [
        ("trimctl export in.mov --preset m4v", "m4v720 .*720p", "av1"), ("trimctl export in.mov --preset=m4v", "m4v720 ", "av1"),
        ("trimctl cancel ", r"3 +-- held, passthrough, three", r"\n2 "), ("trimctl retry ", r"2 +-- cancelled", r"\n1 "),
        ("trimctl export in.mov --render ", "smart", "--json"), ("trimctl export on", r"one\.mov", "--"),
        ("trimctl export --end 5 in.mov --", "detach", "duration"), (f"trimctl cancel --socket {desk.folder}/nobody ", "", "held")]:
        found = ask(line).split("\n", 1)
        shown = found[-1] if len(found) > 1 else found[0]
        holds(f"zsh: {line}", re.search(wanted, shown) and not re.search(unwanted, shown), repr(found))
    shell.close()


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish")
def test_fish(desk):
    script = desk.folder + "/trimctl.fish"
    open(script, "w").write(desk.trimctl("completions", "fish").stdout)
    lines = ["trimctl "] + [f"trimctl {verb} --" for verb in desk.verbs] + [
        "trimctl export in.mov --preset m4v7", "trimctl export in.mov --preset=m4v7", "trimctl cancel ", "trimctl retry ",
        "trimctl export in.mov --render ", "trimctl export on", "trimctl export in.mov --start ",
        f"trimctl cancel --socket {desk.folder}/nobody "]
    asked = "".join(f"echo '<<'; complete -C '{line}'; " for line in lines)
    said = desk.run("fish", "--no-config", "-c", f"source {script}; {asked}")
    holds("fish says nothing else", said.stderr == "", said.stderr)
    parts = [part.strip("\n").split("\n") for part in said.stdout.split("<<")[1:]]
    words = [[line.split("\t")[0] for line in part if line] for part in parts]
    holds("fish: commands", set(desk.verbs) <= set(words[0]), words[0])
    for verb, found in zip(desk.verbs, words[1:]):
        found = {word.rstrip("=") for word in found}
        holds(f"fish: options of {verb}", found == desk.options[verb], f"{found ^ desk.options[verb]}")
    rest = words[1 + len(desk.verbs):]
    for what, found, wanted in zip(
        ["a preset", "a preset behind =", "jobs to cancel", "jobs to try again", "choices", "a file", "a time", "no daemon"], rest,
        [["m4v720"], ["--preset=m4v720"], ["3", "1"], ["2"], ["auto", "copy", "smart", "encode"], ["one.mov"], [], []]):
        holds(f"fish: {what}", found == wanted, f"{found}, not {wanted}")


def test_completion_is_silent(desk):
    """Nobody, a listener that lets nobody in, and one that never answers: never more than a moment, never a word."""
    full, deaf = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    full.bind(desk.folder + "/full"), full.listen(0)
    deaf.bind(desk.folder + "/deaf"), deaf.listen(5)
    waiting = []
    for _ in range(3):
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(desk.folder + "/full")
        except OSError:
            pass
        waiting.append(client)
    for name in ("nobody", "full", "deaf"):
        started = time.time()
        said = desk.trimctl("complete", "jobs", "cancel", "--socket", f"{desk.folder}/{name}")
        taken = time.time() - started
        holds(f"silence on {name}", (said.returncode, said.stdout, said.stderr) == (0, "", "") and taken < 30, f"{said} {taken:.2f} s")


def test_install_and_uninstall(desk):
    """Files that make install installs, make uninstall takes away, all but the settings."""
    there = desk.folder + "/dest"
    for target in ("install", "uninstall"):
        said = desk.run("make", "-s", "-C", ROOT, target, f"DESTDIR={there}", f"BUILD={desk.programs}")
        holds(f"make {target}", said.returncode == 0, said.stderr[-500:])
        files = {f"{place}/{name}"[len(there):] for place, _, names in os.walk(there) for name in names}
        if target == "install":
            wanted = {"/usr/local/share/man/man1/trimctl-export.1", "/usr/local/share/man/man5/trimd.json.5",
                "/usr/local/share/bash-completion/completions/trimctl", "/usr/local/share/zsh/site-functions/_trimctl",
                "/usr/local/share/fish/vendor_completions.d/trimctl.fish"}
            holds("pages and completions are installed", wanted <= files, f"{wanted - files}")
        else:
            holds("nothing stays but the settings", files == {"/etc/trimd/trimd.json"}, f"{files}")


def test_manual_pages(desk):
    man = desk.folder + "/man"
    said = desk.trimctl("manual", man, *[word.replace("=", f"={ROOT}/") for word in DOCUMENTS])
    holds("pages are written", said.returncode == 0 and DOCUMENTS, said.stderr)
    files = [f"{place}/{name}" for place, _, names in os.walk(man) for name in names]
    expected = {"trimctl.1"} | {f"trimctl-{verb}.1" for verb in desk.verbs} | {word.split("=")[0] for word in DOCUMENTS}
    holds("a page for each", {os.path.basename(name) for name in files} == expected)
    shown = {}
    if shutil.which("man"):
        said = desk.run("man", "--warnings=all", "-l", f"{man}/man1/trimctl-export.1")
        holds("man takes a page", said.returncode == 0 and not said.stderr and "--preset-file" in said.stdout, said.stderr[:600])
        # The same formatter for all of them at once.
        said = desk.run("groff", "-K", "utf8", "-t", "-man", "-ww", "-z", "-T", "utf8", *files)
        holds("groff takes the pages", said.returncode == 0 and not said.stderr, said.stderr[:600])
        said = desk.run("lexgrog", *files)
        for file in files:
            name = os.path.basename(file).rsplit(".", 1)[0]
            holds(f"apropos of {name}", f'{file}: "{name} - ' in said.stdout, said.stdout)
    if shutil.which("mandoc"):
        said = desk.run("mandoc", "-T", "lint", "-W", "warning", *files)
        holds("mandoc takes the pages", said.returncode == 0, said.stdout[:600])
        for file in files:
            said = desk.run("mandoc", "-T", "utf8", "-O", "width=200", file)
            shown[os.path.basename(file)] = re.sub(".\b", "", said.stdout)
    for verb in desk.verbs:
        text = shown.get(f"trimctl-{verb}.1", "")
        found = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text.split("\nOPTIONS", 1)[-1].split("\nEXIT", 1)[0], re.M))
        if shown:
            holds(f"the page of {verb} has its options", found == desk.options[verb], f"{found ^ desk.options[verb]}")
            holds(f"the page of {verb} is in trimctl(1)", f"trimctl-{verb}(1)" in shown["trimctl.1"])
            for code in re.findall(r"^  (\d)  (.*)$", desk.helps[verb].split("Exit codes:")[-1], re.M):
                holds(f"the page of {verb} has exit {code[0]}", code[1] in text)
    said = desk.run(desk.programs + "/trimd", "--help").stdout
    wanted = set(re.findall(r"^ +(--[a-z-]+)", said, re.M))
    # Later sections show commands of others.
    options = re.split(r"\n(?=[A-Z])", shown.get("trimd.8", "").split("\nOPTIONS", 1)[-1])[0]
    found = set(re.findall(r"^ +(--[a-z-]+)", options, re.M))
    holds("the page of trimd has its options", not shown or found == wanted, f"{found ^ wanted}")
