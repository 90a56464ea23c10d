// A worker that the file it reads has taken over, unsealed for the test: it may say and do anything. trimd does not grow, nobody
// else waits, and its job ends.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct HostileWorkerTests {
    /// So long it floods: long enough to see whether trimd grows with it, of which a second's flood would show some hundred megabytes.
    private static let seconds = ProcessInfo.processInfo.environment["TRIMD_FAULTS"] == nil ? 1.5 : 20

    /// A worker that does something to whoever started it, once it has its request, descriptors and all.
    private static func program(_ script: String, beforehand: String) -> String {
        """
        #!/usr/bin/python3
        \(beforehand)
        import json, os, socket, sys, time
        trimd = socket.socket(fileno=3)
        request, files = b"", []
        while not request.endswith(b"\\n"):
            more, got, _, _ = socket.recv_fds(trimd, 1 << 20, 8)
            if not more: sys.exit(0)
            request += more
            files += got
        method = json.loads(request)["method"]
        say = lambda value: trimd.sendall(json.dumps({"jsonrpc": "2.0"} | value).encode() + b"\\n")
        tell = lambda method, params: say({"method": method, "params": params})
        answer = lambda result: say({"id": 1, "result": result})
        def flood(method, params):
            lines = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\\n"
            lines *= max(1, 500000 // len(lines))
            while True: trimd.sendall(lines)
        \(script)
        """
    }

    /// - Parameter beforehand: done before it takes its request.
    private func rig(
        _ script: String, settings: String = #""limits": {"retrySeconds": 0, "crashes": 1}"#,
        beforehand: String = ""
    ) throws -> Rig {
        let rig = try Rig(booted: false)
        try Data(Self.program(script, beforehand: beforehand).utf8).write(
            to: URL(filePath: rig.path("hostile.py")))
        // Another process writes the program: one that somebody may write cannot be run.
        _ = try Rig.capture("install", ["-m", "755", rig.path("hostile.py"), rig.path("hostile")])
        let program = rig.path("hostile")
        try rig.boot(
            workers: 1,
            settings: #"{"workerProgram": "\#(program)", "sandbox": "best-effort", \#(settings)}"#)
        return rig
    }

    private func start(_ rig: Rig, _ more: String...) throws -> Process {
        try Data(repeating: 7, count: 100_000).write(to: URL(filePath: rig.path("film.mp4")))
        return rig.start(
            [
                "export", rig.path("film.mp4"), "--preset", "m4v720", "-o", rig.path("a.m4v"), "--json",
                "--progress", "none",
            ] + more)
    }

    private func code(_ ended: Ended) throws -> String? {
        (try ended.json()["error"] as? [String: Any])?["code"] as? String
    }

    /// The most memory a process has had, in kilobytes.
    private func peak(_ pid: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// Each as fast as it goes. trimd grows by no more than it does in any export.
    @Test(arguments: [
        #"flood("log", {"line": "x" * 100})"#,
        #"flood("log", {"line": "x" * 1000000})"#,
        #"flood("progress", {"fraction": 0.1, "phase": "exporting"})"#,
        #"flood("planned", {"bytes": 1 << 60, "length": {"value": 1, "timescale": 1}})"#,
        #"while True: trimd.sendall(b"no message\\n" * 1000)"#,
        #"while True: trimd.sendall(b"\\n" * 100000)"#,
        #"while True: trimd.sendall(b"x" * 100000)"#,
        #"while True: os.write(1, b"x" * 100 + b"\\n")"#,
        #"while True: socket.send_fds(trimd, [b'{"jsonrpc": "2.0", "method": "alive", "params": {}}\\n'], files * 4)"#,
    ])
    func aFloodCostsNothingButItsJob(_ script: String) throws {
        let rig = try rig(script)
        let before = try peak(rig.pid)
        let export = try start(rig)
        usleep(UInt32(Self.seconds * 1_000_000))
        let after = try peak(rig.pid)
        #expect(after < before + 25_000, "\(before) kB, then \(after)")
        let logged = rig.trimctl("log", "1").out.split(separator: "\n").count
        #expect(logged < 1100, "\(logged) lines")
        #expect(try rig.descriptors() < 60)
        let began = ContinuousClock.now
        #expect(rig.trimctl("status").code == 0)
        #expect(rig.trimctl("cancel", "1").code == 0)
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect([1, 4].contains(rig.finish(export).code))
        #expect(try rig.leftovers().isEmpty && !rig.exists("a.m4v"))
    }

    /// The kernel ends what it writes at trimd's own bound, which is not asked of it.
    @Test func theDiskIsNotItsOwn() throws {
        let script = #"""
            written = 0
            try:
                while written < 1 << 30: written += os.write(files[1], bytes(1 << 20))
            except OSError as error:
                tell("log", {"line": f"{error.errno} after {written}"})
            say({"id": 1, "error": {"code": -32000, "message": "m", "data": {"code": "maximumFileSizeReached"}}})
            """#
        let rig = try rig(script)
        let ended = rig.finish(try start(rig, "--end", "1"))
        #expect(ended.code == 1)
        #expect(try code(ended) == "maximumFileSizeReached", "\(ended.out)")
        let log = rig.trimctl("log", "1").out
        let words = try #require(log.split(separator: "\n").first { $0.contains(" after ") }).split(
            separator: " ")
        #expect(words.suffix(3).first == "27", "\(log)")
        #expect(try #require(words.last.flatMap { Int($0) }) <= 100 << 20, "\(log)")
    }

    /// It asks for files beside the film, which may be anywhere, also in a home folder.
    @Test(arguments: [
        ("film.mp4", "moov", [".ssh/id_rsa"]), ("film.mp4", "moov", ["a.ts"]),
        ("film.mp4", " #EXTM3U", ["a.ts"]),
        (
            "film.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n",
            [".ssh/id_rsa"]
        ),
        (
            "film.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n",
            ["a.ts", "taxes.pdf"]
        ),
        (
            "film.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n.ssh/id_rsa\n#EXT-X-ENDLIST\n",
            [".ssh/id_rsa"]
        ),
        ("film.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\ntaxes.pdf\n", ["taxes.pdf"]),
    ])
    func noFileBesideTheFilmIsItsOwn(_ name: String, _ text: String, _ asked: [String]) throws {
        let worker = Rig.programs.appending(path: "trim-worker").path
        // The worker that lists the names is the real one: it reads a text, and no film can take it over.
        let script = """
            tell("segments", {"names": \(asked)})
            reply, got, _, _ = socket.recv_fds(trimd, 1 << 20, 8)
            tell("log", {"line": f"got {len(got)} files"})
            say({"id": 1, "error": {"code": 1, "message": "m", "data": {"code": "playlist"}}})
            """
        let rig = try rig(
            script,
            beforehand: """
                import os, socket
                peek = socket.socket(fileno=os.dup(3))
                if b'"names"' in peek.recv(1 << 16, socket.MSG_PEEK)[:200]: os.execv("\(worker)", ["trim-worker", "--sandbox", "best-effort"])
                peek.close()
                """)
        try FileManager.default.createDirectory(atPath: rig.path(".ssh"), withIntermediateDirectories: true)
        for secret in [".ssh/id_rsa", "a.ts", "taxes.pdf"] {
            try Data("secret".utf8).write(to: URL(filePath: rig.path(secret)))
        }
        try Data(text.utf8).write(to: URL(filePath: rig.path(name)))
        let ended = rig.trimctl(
            "export", rig.path(name), "--preset", "m4v720", "-o", rig.path("a.m4v"), "--json", "--progress",
            "none")
        #expect(ended.code == 1 || ended.code == 7, "\(ended.out) \(ended.err)")
        let log = rig.trimctl("log", "1").out
        #expect(!log.contains("got ") || log.contains("got 0 files"), "\(log)")
        #expect(rig.trimctl("probe", rig.path(name)).code != 0)
    }

    /// Its report about its work is of the wrong kind, or of another job's.
    @Test(arguments: [
        #"answer([])"#, #"answer("done")"#, #"answer({"bytes": "many"})"#, #"answer(None)"#,
        #"tell("progress", {"fraction": 1e308, "phase": "finishing", "time": {"value": 9, "timescale": 1}}); answer({})"#,
        #"tell("progress", {"fraction": -5, "phase": "exporting", "speed": -1e300, "remaining": 1e300}); sys.exit(0)"#,
        #"tell("planned", {"bytes": 1 << 62}); tell("planned", {"bytes": -1}); answer({})"#,
        #"tell("planned", {"bytes": "many"}); time.sleep(100)"#,
        #"say({"id": 2, "method": "server.drain", "params": {}}); time.sleep(100)"#,
        #"say({"id": 1, "error": {"code": 1, "message": "x" * 900000}})"#,
        // A child that keeps the socket and the output when its parent has gone.
        #"os.fork() or time.sleep(1000); sys.exit(0)"#,
    ])
    func liesEndItsJobAlone(_ script: String) throws {
        let rig = try rig(script)
        let daemon = rig.pid
        let ended = rig.finish(try start(rig))
        #expect(ended.code == 1, "\(ended.err)")
        #expect(try ended.json()["status"] as? String == "failed", "\(ended.out.prefix(1000))")
        #expect(ended.out.utf8.count < 20_000, "its words are cut")
        #expect(try rig.leftovers().isEmpty && !rig.exists("a.m4v"))
        #expect(rig.pid == daemon && kill(daemon, 0) == 0)
        #expect(rig.trimctl("list").code == 0)
    }
}
