"""A small machine in qemu, emulated, with Debian's own kernel: what it needs to start, and its run until a moment has come."""
import os, re, shutil, subprocess, tempfile, threading, time

from .. import processes

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trimd-power")
TOOLS = ("qemu-system-x86_64", "busybox", "depmod", "cpio", "mkfs.ext4", "ffmpeg", "ffprobe")
DISK = ["virtio_pci", "virtio_blk", "crc32c_generic", "ext4"]


class Unavailable(Exception):
    """No machine can be run here, and why."""


def need(*command, **more):
    return processes.need(*command, **({"text": True, "errors": "replace"} | more)).stdout


def require(*tools):
    """Throws where one of the programs is missing, or the user is not root."""
    if os.geteuid():
        raise Unavailable("only root can make the disk")
    for tool in (*TOOLS, *tools):
        if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin"):
            raise Unavailable(f"there is no {tool}")


def kernel():
    """Debian's kernel and the folder of its modules; downloaded once."""
    name = re.search(r"Depends: (linux-image-\S+)", need("apt-cache", "depends", "linux-image-cloud-amd64"))
    if not name:
        raise Unavailable("no kernel is known to apt")
    folder = os.path.join(CACHE, name[1])
    if not os.path.isdir(folder):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            os.chmod(work, 0o755)
            if processes.run("apt-get", "download", name[1], cwd=work).returncode:
                raise Unavailable(f"{name[1]} cannot be downloaded")
            package = next(n for n in os.listdir(work) if n.endswith(".deb"))
            need("dpkg-deb", "-x", os.path.join(work, package), os.path.join(work, "root"))
            version = os.listdir(os.path.join(work, "root/lib/modules"))[0]
            need("depmod", "-b", os.path.join(work, "root"), version)
            os.rename(os.path.join(work, "root"), folder)
    version = os.listdir(os.path.join(folder, "lib/modules"))[0]
    return os.path.join(folder, "boot", f"vmlinuz-{version}"), os.path.join(folder, "lib/modules", version)


def first_root(work, modules):
    """The folder of a first file system: busybox, and the modules of the disk, whose names are in modules/order."""
    root = os.path.join(work, "first")
    for folder in ("bin", "proc", "sys", "dev", "modules"):
        os.makedirs(os.path.join(root, folder))
    shutil.copy2("/bin/busybox", os.path.join(root, "bin/busybox"))
    order = []
    with open(os.path.join(modules, "modules.dep")) as f:
        needs = {line.split(":")[0]: line.split(":")[1].split() for line in f}
    paths = {os.path.basename(p).split(".")[0].replace("-", "_"): p for p in needs}
    for name in DISK:
        path = paths.get(name)
        if path is None:
            continue                                        # built into the kernel
        for one in list(reversed(needs[path])) + [path]:
            if os.path.basename(one) not in order:
                order.append(os.path.basename(one))
                shutil.copy2(os.path.join(modules, one), os.path.join(root, "modules"))
    with open(os.path.join(root, "modules/order"), "w") as f:
        f.write("\n".join(order) + "\n")
    return root


def packed(root, init):
    """The archive of a first file system that begins with the script `init`; its folder is removed."""
    with open(os.path.join(root, "init"), "w") as f:
        f.write(init)
    os.chmod(os.path.join(root, "init"), 0o755)
    archive = root + ".cpio"
    with open(archive, "wb") as f:
        names = subprocess.run(["find", ".", "-print0"], cwd=root, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["cpio", "--null", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=f, check=True)
    shutil.rmtree(root)
    return archive


def boot(image, archive, disk, words, until, limit, memory=2048, heard=lambda line: None):
    """Runs the machine until a moment has come, or for so many seconds, and takes the power away; the lines it said, each told to `heard`."""
    said = []

    def listen():
        for line in machine.stdout:
            said.append(line.decode(errors="replace").strip())
            heard(said[-1])

    machine = subprocess.Popen(
        ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-smp", "2", "-m", str(memory), "-nographic", "-no-reboot", "-nodefaults", "-serial",
         "stdio", "-kernel", image, "-initrd", archive, "-append", f"console=ttyS0 quiet panic=-1 {words}", "-drive",
         f"file={disk},format=raw,if=virtio"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    reader = threading.Thread(target=listen, daemon=True)
    reader.start()
    began = time.monotonic()
    while machine.poll() is None and time.monotonic() - began < limit and not until(said):
        time.sleep(0.05)
    machine.kill()
    machine.wait()
    reader.join(5)
    return said
