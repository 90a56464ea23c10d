"""A private PostgreSQL: Debian's server in a folder of the check's own, on a Unix socket, as a user that is not root; with a standby, and a bad
network, if wanted."""
import glob, os, pwd, select, signal, socket, struct, subprocess, threading, time

from .processes import need, run
from .waiting import within

PROGRAMS = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Postgres:
    """A server with an empty database `trimd`. Ends with its `with` block."""

    def __init__(self, folder, port=None, of=None, settings=()):
        """`port`: of 127.0.0.1, where it listens too; `of`: the server that it is a standby of; `settings`: more of its own, as NAME=VALUE."""
        self.folder, self.data, self.port, self.settings = folder, os.path.join(folder, "data"), port, settings
        os.makedirs(self.data, 0o700)
        self.user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            for path in (folder, self.data):
                os.chown(path, user.pw_uid, user.pw_gid)
            self.user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
        if of:
            need(*self.user, f"{PROGRAMS}/pg_basebackup", *of.place, "-U", "trimd", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", cwd="/")
            self.boot()
            return
        need(*self.user, f"{PROGRAMS}/initdb", "-D", self.data, "-U", "trimd", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", cwd="/")
        self.boot()
        need(*self.user, f"{PROGRAMS}/createdb", *self.place, "-U", "trimd", "trimd", cwd="/")

    @property
    def setting(self):
        return f"host={self.folder} user=trimd dbname=trimd"

    @property
    def place(self):
        """Where the server's programs find it."""
        return ["-h", self.folder] + (["-p", str(self.port)] if self.port else [])

    def boot(self):
        """Starts the server, and waits until it answers."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.user, f"{PROGRAMS}/postgres", "-D", self.data, "-k", self.folder, "-c", "fsync=off", "-c", "max_connections=200", "-c",
                 "wal_retrieve_retry_interval=200ms", *(["-c", "listen_addresses=127.0.0.1", "-p", str(self.port)] if self.port else
                                                        ["-c", "listen_addresses="]),
                 *(word for setting in self.settings for word in ("-c", setting))], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        while run(f"{PROGRAMS}/pg_isready", *self.place, "-q").returncode:
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
        done = need(*self.user, f"{PROGRAMS}/psql", *self.place, "-U", "trimd", "-d", "trimd", "-XAtq", "-F", "\t", "-c", sql, text=True, cwd="/")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGQUIT)


class Pair:
    """A server and its synchronous standby: what is acknowledged is on both. Ends with its `with` block."""

    def __init__(self, folder):
        self.folder, self.count, self.ports = folder, 0, [free_port(), free_port()]
        self.primary, self.standby = self.server(self.ports[0]), None
        self.attach()

    def server(self, port, of=None):
        self.count += 1
        return Postgres(os.path.join(self.folder, f"server{self.count}"), port, of)

    def attach(self):
        """Gives the server a standby, at the port that is free."""
        port = next(port for port in self.ports if port != self.primary.port)
        self.standby = self.server(port, self.primary)
        self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.ask("SELECT pg_reload_conf()")
        if not within(30, lambda: self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == [["1"]]):
            raise SystemExit("the standby does not follow its server")

    def fail_over(self):
        """The server is lost, its standby takes its place, and gets a standby of its own; the seconds until it takes writes."""
        began = time.monotonic()
        self.primary.end(signal.SIGQUIT)
        need(*self.standby.user, f"{PROGRAMS}/pg_ctl", "-D", self.standby.data, "-w", "promote", cwd="/")
        self.primary, self.standby = self.standby, None
        taken = time.monotonic() - began
        self.attach()
        return taken

    def boot(self):
        self.primary.boot()

    def end(self, how=signal.SIGINT):
        self.primary.end(how)

    def ask(self, sql):
        return self.primary.ask(sql)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in (self.standby, self.primary):
            if server:
                server.end(signal.SIGQUIT)


class Proxy:
    """Passes the connections to a port of its own on to `target`, a port of 127.0.0.1; stalls, drops and resets them when it is told to."""

    def __init__(self, target):
        self.target, self.listener = target, socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.flows, self.refuses, self.doomed = threading.Event(), False, {}
        self.flows.set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.refuses:
                    raise OSError
                server = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.serve, args=(client, server), daemon=True).start()

    def serve(self, client, server):
        self.doomed[client] = None
        try:
            while self.doomed[client] is None:
                for source in select.select([client, server], [], [], 0.05)[0]:
                    data = source.recv(65536)
                    # Bytes that have come are held back, and the connection stays: so a network loses packets.
                    while not self.flows.wait(0.05) and self.doomed[client] is None:
                        pass
                    if not data or self.doomed[client]:
                        raise OSError
                    (server if source is client else client).sendall(data)
        except OSError:
            pass
        if self.doomed.pop(client) == "reset":
            for each in (client, server):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        server.close()

    def stall(self, seconds):
        """Nothing comes through for a time."""
        self.flows.clear()
        threading.Timer(seconds, self.flows.set).start()

    def drop(self, seconds):
        """Connections end, and no new one is made for a time."""
        self.refuses = True
        self.end("drop")
        threading.Timer(seconds, setattr, (self, "refuses", False)).start()

    def reset(self):
        """Connections are reset."""
        self.end("reset")

    def end(self, how):
        for client in list(self.doomed):
            if client in self.doomed:
                self.doomed[client] = how

    def close(self):
        self.listener.close()
        self.end("drop")
