"""The sources as text: targets and their imports, folders, files and the names they declare."""
import functools, json, os, re, subprocess, tempfile

from .paths import ROOT

MODIFIERS = r"(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated|unsafe|static|mutating|@\w+(?:\([^)]*\))?)\s+)*"
TYPE = re.compile(rf"^({MODIFIERS})(?:struct|class|enum|protocol|actor)\s+(\w+)")
DECLARED = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias|func|let|var|case)\s+`?(\w+)")


def swift_files(folder="Sources"):
    """The Swift files below a folder, by their paths in the checkout."""
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith(".swift"):
                yield os.path.relpath(os.path.join(where, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


@functools.cache
def targets():
    """The package's targets without its tests and what serves them, in their order: (name, kind, the targets it imports)."""
    with tempfile.TemporaryDirectory(prefix="trimd-package.") as scratch:
        done = subprocess.run([os.environ.get("SWIFT") or "swift", "package", "--scratch-path", scratch, "dump-package"], cwd=ROOT,
                              stdout=subprocess.PIPE, check=True)
    found = []
    for target in json.loads(done.stdout)["targets"]:
        if not target["path"].startswith("Tests/"):
            names = [(each.get("byName") or each.get("target"))[0] for each in target["dependencies"]]
            found.append((target["name"], target["type"], names))
    return found


def diagram():
    """A Mermaid diagram of the targets: an arrow for an import, but for those that another import implies."""
    imports = {name: names for name, _, names in targets()}

    @functools.cache
    def below(name):
        return {name for each in imports[name] for name in {each} | below(each)}

    shapes = {"executable": ("([", "])"), "system": ("[(", ")]")}
    lines = ["```mermaid", "flowchart TD"]
    for name, kind, _ in targets():
        left, right = shapes.get(kind, ("[", "]"))
        lines.append(f"    {name}{left}{name}{right}")
    for name, _, names in targets():
        for each in names:
            if not any(each in below(other) for other in names):
                lines.append(f"    {name} --> {each}")
    return "\n".join([*lines, "```"]) + "\n"


@functools.cache
def declared():
    """Every name that the Swift sources declare."""
    return {name for path in swift_files() for name in DECLARED.findall(read(path))}


def types_of_targets():
    """Top-level types that other files can see: name -> {target: path}."""
    found = {}
    for path in swift_files():
        for line in read(path).splitlines():
            match = TYPE.match(line)
            if match and "private" not in match[1]:
                found.setdefault(match[2], {})[path.split("/")[1]] = path
    return found
