"""A small Debian in a folder, with trimd's package and a user: for containers and machines of a check's own."""
import os, shutil, subprocess

from ..paths import ROOT
from ..processes import need


def root(folder, package, *more):
    """A copy of a root that is made once (debian-root), with PostgreSQL, the package, more packages and the user ann (2001): its folder,
    beneath `folder`. Copies of it have the same numbers of users."""
    def read(*words):
        return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    kept = read("Tests/Scripts/packaging/debian-root", package, "fleet", read("make", "-s", "print-machine-packages") + " libpq5 postgresql")
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
