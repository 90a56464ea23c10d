"""A small Debian in a folder, with trimd's package and a user: for containers and machines of a check's own."""
import glob, os, shutil

from ..processes import need

PACKAGES = "systemd,systemd-sysv,dbus,ca-certificates,postgresql,libpq5"


def root(folder, package, *more):
    """A copy of a root that is made once (~/.cache/trimd-fleet), with PostgreSQL, the package, more packages and the user ann (2001): its folder,
    beneath `folder`. Copies of it have the same numbers of users."""
    kept = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trimd-fleet", "root")
    if not os.path.isdir(kept):
        lists = glob.glob("/etc/apt/sources.list") + sorted(glob.glob("/etc/apt/sources.list.d/*.list") + glob.glob("/etc/apt/sources.list.d/*.sources"))
        sources = next(path for path in lists if os.path.getsize(path))
        copy = os.path.join(folder, "made." + sources.rpartition(".")[2])
        with open(sources) as file, open(copy, "w") as made:
            made.writelines(line for line in file if not line.startswith("#"))
        print(f"making {kept}", flush=True)
        need("mmdebstrap", "--quiet", "--variant=apt", f"--include={PACKAGES}", "bookworm", f"{folder}/made", copy)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.move(f"{folder}/made", kept)
    base = os.path.join(folder, "base")
    need("cp", "-a", "--reflink=auto", kept, base)
    shutil.copy("/etc/resolv.conf", f"{base}/etc/resolv.conf")
    shutil.copy(package, f"{base}/trimd.deb")
    inside = ["unshare", "--mount", "sh", "-c", f'mount --bind /proc {base}/proc && mount --bind /dev {base}/dev && exec chroot {base} env -i '
              'PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 "$@"', "sh"]
    need(*inside, "apt-get", "update", "-qq")
    need(*inside, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "/trimd.deb", *more)
    need(*inside, "useradd", "-u", "2001", "ann")
    return base
