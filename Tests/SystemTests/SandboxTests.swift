// The seal on real workers: what a sealed process can still do, what it has, and that nothing is read where it cannot be
// sealed.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct SandboxTests {
    private static let worker = Rig.programs.appending(path: "trim-worker").path
    private static let without = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Scripts/faults/without").path

    private func attempts(_ arguments: [String]) throws -> [String: Bool] {
        let process = Process()
        process.executableURL = URL(filePath: SandboxTests.worker)
        process.arguments = ["--selftest"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var refused: [String: Bool] = [:]
        for attempt in try #require(report["attempts"] as? [[String: Any]]) {
            refused[try #require(attempt["name"] as? String)] = attempt["refused"] as? Bool
        }
        return refused
    }

    /// Started as a program, and forked from a server that is confined itself.
    @Test(arguments: [[], ["--fork-server"]]) func aSealedProcessIsRefusedEverything(_ words: [String]) throws
    {
        let refused = try attempts(words)
        #expect(refused.count > 25)
        for (name, isRefused) in refused { #expect(isRefused, "\(name)") }
    }

    /// Else the test above could not fail.
    @Test func aFreeProcessCouldDoIt() throws {
        let refused = try attempts(["--unsealed"])
        for name in [
            "read a file", "list a folder", "make a file", "remove a file", "run a program", "fork",
            "be traced",
            "read its starter's memory", "open its own memory", "signal its starter",
            "signal its starter's thread", "connect to the network", "make a Unix socket",
            "make memory that is written and run", "make memory that is run", "make its memory run",
            "become dumpable",
        ] {
            #expect(refused[name] == false, "\(name)")
        }
    }

    /// It may do what its forks do before they seal themselves, and no more.
    @Test func theForkServerMayForkAndLittleElse() throws {
        let granted = try attempts(["--unsealed", "--fork-server"]).filter { !$0.value }.keys.sorted()
        #expect(granted == ["become dumpable", "fork", "signal its starter's thread"])
    }

    /// The children of the daemon that run trim-worker.
    private func workers(of rig: Rig) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(rig.pid)/task")) ?? []
        let words = all.map {
            (try? String(contentsOfFile: "/proc/\(rig.pid)/task/\($0)/children", encoding: .utf8)) ?? ""
        }
        return words.flatMap { $0.split(separator: " ") }.compactMap { Int32($0) }
    }

    private func status(_ pid: Int32) -> [String: String] {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return fields
    }

    /// The process that alone is of a kind for ten looks. The daemon's self-test may still run beside it, and a fork has the server's
    /// name until it gives itself its own.
    private func lasting(
        _ what: String, of rig: Rig, _ isMeant: ([String: String]) -> Bool
    ) throws -> Int32 {
        var seen: [[Int32]] = []
        try rig.wait("\(what), alone") {
            seen.append(workers(of: rig).filter { isMeant(status($0)) })
            return seen.suffix(10).count { $0.count == 1 && $0 == seen.last } == 10
        }
        return try #require(seen.last?.first)
    }

    @Test(arguments: [true, false]) func theSpareIsSealedAndHasNothing(_ isForked: Bool) throws {
        let rig = try Rig(booted: false)
        try rig.boot(settings: #"{"forkServer": \#(isForked)}"#)
        let pid = try lasting("a sealed spare", of: rig) {
            $0["Name"] == "trim-worker" && $0["Seccomp"] == "2"
        }
        let fields = status(pid)
        #expect(fields["NoNewPrivs"] == "1")
        for name in ["CapEff", "CapPrm", "CapInh", "SigBlk"] {
            #expect(Int(fields[name] ?? "", radix: 16) == 0)
        }
        // SIGPIPE alone, signal 13; 32 and 33 are glibc's own.
        #expect(Int(fields["SigIgn"] ?? "", radix: 16).map { $0 & 0x7fff_ffff } == 1 << 12)
        #expect(Int(fields["SigCgt"] ?? "", radix: 16).map { $0 & 0xffff } == 0)
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        #expect(stat.split(separator: " ").dropFirst(4).first == "\(pid)", "its own process group")
        // The files below belong to root, since the process is not dumpable.
        guard getuid() == 0 else { return }
        #expect(try Data(contentsOf: URL(filePath: "/proc/\(pid)/environ")).isEmpty)
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").sorted()
        #expect(links == ["0", "1", "2", "3"])
        let targets = try links.map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
        }
        #expect(targets[0] == "/dev/null")
        #expect(targets[1].hasPrefix("pipe:") && targets[2] == targets[1])
        #expect(targets[3].hasPrefix("socket:"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd") == "/")
        let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        // As many as a join may need; the request lowers it.
        #expect(limits.contains(/Max open files +2048 +2048/) && limits.contains(/Max core file size +0 +0/))
    }

    @Test func theForkServerIsSealedAndHasNothing() throws {
        let rig = try Rig()
        let pid = try lasting("a sealed server", of: rig) {
            $0["Name"] == "trim-forkserver" && $0["Seccomp"] == "2"
        }
        let fields = status(pid)
        #expect(fields["Threads"] == "1")
        #expect(fields["NoNewPrivs"] == "1")
        for name in ["CapEff", "CapPrm", "CapInh", "SigBlk"] {
            #expect(Int(fields[name] ?? "", radix: 16) == 0)
        }
        // The files below belong to root, since the process is not dumpable.
        if getuid() == 0 {
            #expect(try Data(contentsOf: URL(filePath: "/proc/\(pid)/environ")).isEmpty)
            let targets = try ["0", "1", "2", "3"].map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
            }
            #expect(targets[..<3] == ["/dev/null", "/dev/null", "/dev/null"])
            #expect(targets[3].hasPrefix("socket:"))
            // While it forks, it has the new worker's too.
            try rig.wait("no other descriptor") {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count == 4
            }
        }
        rig.end(SIGKILL)
        try rig.wait("the server's end") { kill(pid, 0) != 0 || status(pid)["State"]?.first == "Z" }
    }

    @Test(arguments: [true, false]) func aBusyWorkerHasItsFilesAlone(_ isForked: Bool) throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1, settings: #"{"forkServer": \#(isForked)}"#)
        let film = try rig.longFilm()
        #expect(
            rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--detach").code == 0)
        // The first worker may only plan the units, and end by itself.
        var targets: [String] = []
        try rig.wait("a sealed worker") {
            guard let pid = rig.busyWorkers().first, status(pid)["Seccomp"] == "2" else { return false }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
            targets = files.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
            }
            return kill(pid, 0) == 0 && status(pid)["State"]?.first != "Z" && targets.count == files.count
        }
        let files = targets.filter { $0.hasPrefix("/") && $0 != "/dev/null" }
        #expect(files.count == 2 && files.contains(film) && files.contains { $0.hasSuffix(".part") })
        let others = targets.filter { !$0.hasPrefix("/") }
        #expect(
            others.allSatisfy {
                $0.hasPrefix("pipe:") || $0.hasPrefix("socket:") || $0.hasPrefix("anon_inode:")
            })
        // Killed, the daemon takes its workers with it.
        let all = workers(of: rig)
        rig.end(SIGKILL)
        try rig.wait("the workers' end") {
            all.allSatisfy { kill($0, 0) != 0 || status($0)["State"]?.first == "Z" }
        }
    }

    @Test(arguments: ["landlock", "seccomp"]) func whatCannotBeSealedReadsNothing(_ missing: String) throws {
        let rig = try Rig(booted: false)
        let film = try rig.film()
        let trimctl = Rig.programs.appending(path: "trimctl").path
        func run(_ words: String...) throws -> Ended {
            try rig.run(SandboxTests.without, [missing, trimctl] + words)
        }
        let refused = try run(
            "export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "1", "--standalone",
            "--json")
        #expect(refused.code == 1)
        let error = try #require(try refused.json()["error"] as? [String: Any])
        #expect(error["code"] as? String == "sandboxUnavailable")
        #expect((error["remedy"] as? String)?.contains("--sandbox best-effort") == true)
        #expect(!rig.exists("a.m4v"))
        #expect(try run("doctor", "--standalone").code == 1)
        let allowed = try run(
            "export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "1", "--standalone",
            "--sandbox", "best-effort")
        #expect(allowed.code == 0, "\(allowed.err)")
        #expect(rig.exists("a.m4v"))
    }

    @Test func theDoctorFindsAllWell() throws {
        let rig = try Rig()
        let ended = rig.trimctl("doctor", "--json")
        #expect(ended.code == 0, "\(ended.out)\(ended.err)")
        let names = (try ended.json()["checks"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(
            names == [
                "daemon", "sandbox", "worker", "queue", "state", "space", "presets", "ffmpeg", "encoders",
                "database",
            ])
        #expect(ended.out.contains("FFmpeg ") && ended.out.contains("libavcodec "), "\(ended.out)")
        let sandbox = try rig.trimctl("status", "--json").json()["sandbox"] as? [String: Any]
        #expect(sandbox?["policy"] as? String == "required")
        #expect(sandbox?["sealed"] as? Bool == true)
        #expect(rig.trimctl("doctor", daemon: false).code == 5)
    }

    @Test func theDoctorLooksAtTheRoots() throws {
        let rig = try Rig(booted: false)
        try rig.boot(
            workers: 1,
            settings: #"{"roots": {"read": ["\#(rig.path("not-there"))"], "write": ["\#(rig.path("."))"]}}"#)
        let ended = rig.trimctl("doctor", "--json")
        #expect(ended.code == 1)
        let checks = try ended.json()["checks"] as? [[String: Any]] ?? []
        let roots = checks.filter { $0["name"] as? String == "root" }
        #expect(roots.count == 2)
        #expect(roots.compactMap { $0["ok"] as? Bool }.sorted { !$0 && $1 } == [false, true])
        #expect(roots.contains { ($0["remedy"] as? String)?.contains("ReadWritePaths") == true })
    }

    @Test func aWorkerThatStopsFailsItsJobAlone() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1, settings: #"{"limits": {"stallSeconds": 5}}"#)
        let film = try rig.longFilm()
        let short = try rig.film()
        let first = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--detach").out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        // The first worker may only plan the units, and end by itself.
        try rig.wait("the job's end") {
            for pid in rig.busyWorkers() { kill(pid, SIGSTOP) }
            let status = try rig.trimctl("show", first, "--json").json()["status"] as? String
            return status == "failed" || status == "completed"
        }
        let ended = rig.trimctl("wait", first, "--json")
        #expect(ended.code == 1)
        #expect(ended.out.contains("workerStalled"))
        // Without that limit, below which a worker may be on a busy machine.
        rig.end(SIGTERM)
        try rig.boot(workers: 1)
        let next = rig.trimctl("export", short, "--preset", "m4v720", "-o", rig.path("b.m4v"), "--end", "1")
        #expect(next.code == 0)
        #expect(try rig.leftovers().isEmpty)
    }

    /// Sources whose decoders and filters differ; each through a sealed worker.
    @Test func everyKindOfSourcePassesSealed() throws {
        let rig = try Rig(workers: 1)
        let hdr =
            "format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"
        let kinds: [(name: String, options: [String])] = [
            ("hevc.mp4", ["-c:v", "libx265", "-x265-params", "log-level=none"]),
            (
                "hdr.mp4",
                [
                    "-vf", hdr, "-c:v", "libx265", "-x265-params",
                    "log-level=none:colorprim=9:transfer=16:colormatrix=9",
                ]
            ),
            ("vp9.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
            ("av1.mkv", ["-c:v", "libsvtav1", "-preset", "12"]),
            ("prores.mov", ["-c:v", "prores_ks", "-c:a", "pcm_s16le"]),
            ("mpeg2.ts", ["-vf", "interlace", "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-c:a", "mp2"]),
            ("vp8.mkv", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "flac"]),
        ]
        for kind in kinds {
            _ = try Rig.capture(
                "ffmpeg",
                [
                    "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                    "testsrc2=size=192x108:rate=25:duration=1",
                    "-f", "lavfi", "-i", "sine=440:duration=1:sample_rate=48000", "-pix_fmt",
                    kind.name == "hdr.mp4"
                        ? "yuv420p10le" : kind.name == "prores.mov" ? "yuv422p10le" : "yuv420p",
                ] + kind.options + [rig.path(kind.name)])
            let ended = rig.trimctl(
                "export", rig.path(kind.name), "--preset", "m4v720", "-o", rig.path(kind.name + ".m4v"),
                "--json")
            #expect(ended.code == 0, "\(kind.name): \(ended.out) \(ended.err)")
            if kind.name == "hdr.mp4" { #expect(ended.out.contains("toneMapped")) }
        }
        let audio = rig.trimctl(
            "export", rig.path("hevc.mp4"), "-o", rig.path("a.m4a"), "--preset", "m4a", "--end", "1/2")
        #expect(audio.code == 0, "\(audio.err)")
    }
}
