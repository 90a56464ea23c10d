// PostgresServer: Debian's PostgreSQL in a private folder, on a private socket, for the tests of this process alone. A shell waits for the
// end of its standard input, which is the end of this process however it comes, then ends the server and removes the folder. It
// syncs nothing: the tests are about the queue, not about the disk.
import Foundation
import Synchronization

/// A server for tests.
final class PostgresServer: Sendable {
    /// The folder of the socket.
    let folder: String
    /// Kept open: its end is the server's.
    private let lifeline: FileHandle

    /// The one of this process; nil where PostgreSQL is not installed.
    static let shared: PostgresServer? = {
        guard let programs else {
            print("PostgreSQL is not installed: its tests are left out (apt install postgresql)")
            return nil
        }
        return PostgresServer(programs)
    }()

    /// The folder of the server's programs.
    private static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.sorted().map { "/usr/lib/postgresql/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private static let script = """
        set -e
        folder=$1 programs=$2 as=
        cleanup() { rm -rf "$folder"; }
        trap cleanup EXIT
        trap '' INT TERM HUP
        chmod 755 "$folder"
        mkdir "$folder/data"
        if [ "$(id -u)" = 0 ]; then
            user=$(id -u postgres 2>/dev/null || echo 65534)
            chown "$user" "$folder" "$folder/data"
            as="setpriv --reuid=$user --regid=$user --clear-groups --"
        fi
        cd /
        $as "$programs/initdb" -D "$folder/data" -U trimd -A trust -E UTF8 --locale=C --no-sync >"$folder/log" 2>&1
        echo 'local all locked scram-sha-256' >"$folder/hba"
        cat "$folder/data/pg_hba.conf" >>"$folder/hba"
        cat "$folder/hba" >"$folder/data/pg_hba.conf"
        $as "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off \
            -c full_page_writes=off -c synchronous_commit=off -c max_connections=400 -c shared_buffers=64MB \
            -c max_wal_senders=0 -c autovacuum_naptime=10s >>"$folder/log" 2>&1 </dev/null &
        server=$!
        until $as "$programs/psql" -h "$folder" -U trimd -d postgres -c 'CREATE ROLE locked LOGIN PASSWORD $$secret$$' \
            >/dev/null 2>&1; do
            kill -0 $server
        done
        echo ready
        cat >/dev/null || true
        kill -QUIT $server
        wait $server || true
        """

    private init?(_ programs: String) {
        folder = FileManager.default.temporaryDirectory.path + "/pg-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", PostgresServer.script, "sh", folder, programs]
        process.standardInput = input
        process.standardOutput = output
        lifeline = input.fileHandleForWriting
        // Children of other tests keep nothing of it open.
        _ = fcntl(lifeline.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard (try? process.run()) != nil,
            (try? output.fileHandleForReading.read(upToCount: 5)) == Data("ready".utf8)
        else {
            print("PostgreSQL did not start: its tests are left out")
            return nil
        }
    }

    /// How a queue reaches a schema of its own; with another user or database, if given.
    func setting(_ schema: String, user: String = "trimd", database: String = "postgres") -> String {
        "host=\(folder) user=\(user) dbname=\(database) options=-csearch_path=\(schema)"
    }
}
