"""A private PostgreSQL: Debian's server in a folder of the check's own, on a Unix socket, as a user that is not root."""
import glob, os, pwd, signal, subprocess, time

from .processes import need, run

PROGRAMS = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]


class Postgres:
    """A server with an empty database `trimd`. Ends with its `with` block."""

    def __init__(self, folder):
        self.folder, self.data = folder, os.path.join(folder, "data")
        os.makedirs(self.data)
        self.user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            for path in (folder, self.data):
                os.chown(path, user.pw_uid, user.pw_gid)
            self.user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
        need(*self.user, f"{PROGRAMS}/initdb", "-D", self.data, "-U", "trimd", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", cwd="/")
        self.boot()
        need(*self.user, f"{PROGRAMS}/createdb", "-h", folder, "-U", "trimd", "trimd", cwd="/")

    @property
    def setting(self):
        return f"host={self.folder} user=trimd dbname=trimd"

    def boot(self):
        """Starts the server, and waits until it answers."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.user, f"{PROGRAMS}/postgres", "-D", self.data, "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                 "max_connections=200"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        while run(f"{PROGRAMS}/pg_isready", "-h", self.folder, "-q").returncode:
            if self.process.poll() is not None:
                raise SystemExit("PostgreSQL does not start: " + open(os.path.join(self.folder, "log")).read()[-2000:])
            time.sleep(0.1)

    def end(self, how=signal.SIGINT):
        """Ends the server, and the connections with it."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait()

    def ask(self, sql):
        """The rows of a query, as lists of texts."""
        done = need(*self.user, f"{PROGRAMS}/psql", "-h", self.folder, "-U", "trimd", "-d", "trimd", "-XAtq", "-F", "\t", "-c", sql, text=True, cwd="/")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGQUIT)
