// The commands about jobs and files against a scripted daemon on a real socket.
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct JobFlowTests {
    /// A daemon that knows the jobs given, and answers a watch with all that is asked for.
    private func daemon(_ path: String, _ jobs: [JobReport]) throws -> FakeDaemon {
        try FakeDaemon(path) { _, method, params in
            switch method {
            case .jobWatch:
                let ids: [Int64]? = (try params.decode() as WatchParams).ids
                return try json(jobs.filter { ids?.contains($0.id) ?? true })
            case .jobGet, .jobCancel, .jobLog:
                guard let job = jobs.first(where: { .int($0.id) == params["id"] }) else {
                    throw RemoteError(code: "jobNotFound", "there is no such job")
                }
                return method == .jobLog ? try json(LogResult(text: "one\ntwo\n")) : try json(job)
            case .jobList:
                let page: ListParams = try params.decode()
                let older = jobs.filter { $0.id < page.after ?? .max }.sorted { $0.id > $1.id }
                return try json(Array(older.prefix(page.limit ?? 100)))
            case .serverStatus:
                return try json(
                    StatusResult(
                        version: trimdVersion, pid: 42, user: 0, since: .now, workers: 2,
                        jobs: ["waiting": 1, "completed": 3],
                        state: "/var/lib/trimd", freeBytes: 5_000_000_000, socket: "/s"))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    @Test func waitEndsWithTheWorst() throws {
        let rig = try Rig()
        var refused = JobReport.sample(3, .failed)
        refused.error = MediaError(.presetNotValid, "no sound")
        let daemon = try daemon(
            rig.socket, [.sample(1, .completed), .sample(2, .failed), refused, .sample(4, .cancelled)])
        defer { daemon.stop() }
        #expect(rig.ask("wait", "1") == 0)
        #expect(rig.ask("wait", "1", "2") == 1)
        #expect(rig.ask("wait", "3", "2", "1", "--json") == 3)
        #expect(rig.lines.suffix(3).allSatisfy { $0.hasPrefix("{") })
        #expect(rig.ask("wait", "4", "3", "1") == 4)
        #expect(rig.err.contains("trimctl: job 3: no sound\n"))
    }

    @Test func controlCStopsTheWaitingAlone() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [.sample(1, .exporting, progress: 0.3)])
        defer { daemon.stop() }
        rig.onWrite = { rig, text in if text.contains("exporting") { rig.interrupts.raise() } }
        #expect(rig.ask("wait", "1") == 4)
        #expect(daemon.calls(.jobCancel).isEmpty)
        #expect(rig.err.contains("the jobs go on; `trimctl cancel 1` cancels them"))
        #expect(rig.ask("watch") == 0)
        #expect(rig.out.contains("job 1: exporting 30 %\n"))
    }

    @Test func watchEndsWithTheJobsOrWithItsReader() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [.sample(1, .completed), .sample(2, .exporting)])
        defer { daemon.stop() }
        #expect(rig.ask("watch", "1", "--json") == 0)
        #expect(try rig.lastJSON()["status"] == "completed")
        rig.outcome = EPIPE
        #expect(rig.ask("watch") == 0)
        rig.outcome = ENOSPC
        #expect(rig.ask("list") == 1)
        #expect(rig.err == "trimctl: writing the result: No space left on device\n")
    }

    @Test func longListsAreAskedForInPages() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, (1...250).map { .sample($0, .completed) })
        defer { daemon.stop() }
        #expect(rig.ask("list", "--limit", "240", "--json") == 0)
        #expect(try rig.lastJSON().array?.compactMap { $0["id"]?.int } == (11...250).reversed())
        #expect(daemon.calls(.jobList).count >= 3)
        #expect(rig.ask("list", "--limit", "5", "--after", "4") == 0)
        #expect(rig.lines.suffix(4).first?.contains("STATUS") == true)
    }

    /// Requests that were refused do not fill the list of people; scripts get all, and who asks for failures.
    @Test func jobsThatWereRefusedDoNotFillTheList() throws {
        let rig = try Rig()
        let jobs = (1...250 as ClosedRange<Int64>).map { id -> JobReport in
            var job = JobReport.sample(id, id.isMultiple(of: 50) ? .completed : .failed)
            job.progress = id == 249 ? 0.5 : 0
            if job.status == .failed { job.error = MediaError(.presetNotValid, "it does not fit") }
            return job
        }
        let daemon = try daemon(rig.socket, jobs)
        defer { daemon.stop() }
        #expect(rig.ask("list", "--limit", "5") == 0)
        let ids = rig.lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(ids == [250, 249, 200, 150, 100], "\(rig.out)")
        #expect(rig.err.contains("refused before anything was made: --status failed shows them"))
        #expect(rig.ask("list", "--limit", "5", "--json") == 0)
        #expect(try rig.lastJSON().array?.compactMap { $0["id"]?.int } == [250, 249, 248, 247, 246])
    }

    @Test func aListIsFilteredByTheDaemon() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [.sample(1, .completed)])
        defer { daemon.stop() }
        #expect(
            rig.ask("list", "--status", "failed", "--status=held", "--user", "root", "--since", "1d") == 0)
        let params: ListParams = try #require(daemon.calls(.jobList).first).decode()
        #expect(params.statuses == [.failed, .held] && params.user == 0)
        let age = Moment.now.milliseconds - (params.since?.milliseconds ?? 0)
        #expect(86_400_000..<90_000_000 ~= age)
        #expect(rig.ask("list", "--user", "17") == 0)
        #expect(daemon.calls(.jobList).last?["user"] == 17)
        #expect(rig.ask("list", "--status", "done") == 2)
        #expect(rig.ask("list", "--user", "no such user") == 2)
        #expect(rig.err.contains("there is no user 'no such user'"))
    }

    @Test func cancelGoesOnAfterAnUnknownJob() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [.sample(1, .completed), .sample(2, .cancelled)])
        defer { daemon.stop() }
        #expect(rig.ask("cancel", "9", "2") == 1)
        #expect(rig.out == "job 2: cancelled\n")
        #expect(rig.err.contains("there is no such job"))
        #expect(rig.ask("cancel", "1") == 0)
        #expect(rig.lines.last == "job 1 had already finished")
    }

    @Test func showLogAndStatus() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [.sample(2, .failed)])
        defer { daemon.stop() }
        #expect(rig.ask("show", "2") == 0)
        #expect(rig.out.contains("  error     decoding failed (track 0) [decodeFailed]\n"))
        #expect(rig.ask("show", "3", "--json") == 1)
        #expect(try rig.lastJSON()["error"]?["code"] == "jobNotFound")
        #expect(rig.ask("log", "2") == 0)
        #expect(rig.out.hasSuffix("\none\ntwo\n"))
        #expect(rig.ask("status") == 0)
        #expect(rig.out.contains("  jobs      1 waiting, 3 completed\n"))
        #expect(rig.ask("status", "--json") == 0)
        #expect(try rig.lastJSON()["workers"] == 2)
    }

    private func fileDaemon(_ path: String) throws -> FakeDaemon {
        try FakeDaemon(path) { _, method, params in
            switch method {
            case .presetList:
                let text = """
                    {"version":1,"id":"m4a","name":"Apple M4A","appleName":"AVAssetExportPresetAppleM4A","fileTypes":["m4a"],
                    "audio":{"codec":"aac","encoder":"aac","bitRate":128000,"maxChannels":2,"maxSampleRate":48000}}
                    """
                let preset = try PresetCatalogue.preset(json: Data(text.utf8))
                let problem = PresetProblem(file: "/etc/x.json", message: "key id: is missing")
                return try json(PresetListResult(presets: [preset], problems: [problem]))
            case .assetProbe:
                return try json(
                    Asset(
                        container: Container(format: "wav", name: "WAV"), start: .zero, duration: Time(1, 1),
                        bytes: 5, tracks: []))
            case .assetCheck:
                let result = PresetCompatibility(
                    id: "m4a", valid: false, fileTypes: [], render: nil,
                    reasons: [Reason(.noAudioTrack, "no sound")], warnings: [])
                return try json(CompatibilityReport(canTrim: true, reason: nil, presets: [result]))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    @Test func presets() throws {
        let rig = try Rig()
        let daemon = try fileDaemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("presets") == 0)
        #expect(rig.out.hasSuffix("m4a  Apple M4A  m4a    AVAssetExportPresetAppleM4A\n"))
        #expect(rig.err == "trimctl: /etc/x.json is left out: key id: is missing\n")
        #expect(rig.ask("presets", "m4a", "--json") == 0)
        #expect(try rig.lastJSON()["appleName"] == "AVAssetExportPresetAppleM4A")
        #expect(rig.ask("presets", "m4b") == 2)
        #expect(rig.err.contains("did you mean 'm4a'"))
    }

    @Test func probeAndCheck() throws {
        let rig = try Rig()
        let daemon = try fileDaemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("probe", "a.wav", "--keyframes") == 0)
        #expect(daemon.calls(.assetProbe).first?["keyframes"] == true)
        #expect(daemon.calls(.assetProbe).first?["path"] == .string(rig.folder + "/a.wav"))
        #expect(rig.ask("check", "a.wav", "--type", "M4A") == 0)
        #expect(rig.ask("check", "a.wav", "--preset", "m4a", "--json") == 3)
        #expect(daemon.calls(.assetCheck).first?["type"] == "m4a")
        #expect(try rig.lastJSON()["presets"]?.array?.first?["valid"] == false)
    }

    @Test func drainingIsAskedForAsTyped() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, method, params in
            guard method == .serverDrain else { throw RemoteError.notScripted(method.rawValue) }
            let params: DrainParams = try params.decode()
            return try json(
                DrainResult(draining: params.on != false, waiting: 2, exiting: params.exit))
        }
        defer { daemon.stop() }
        for (words, params, said) in [
            (["drain"], DrainParams(on: true), "drained: nothing runs, 2 waiting"),
            (["drain", "--exit"], DrainParams(on: true, exit: true), "trimd ends"),
            (["drain", "--off"], DrainParams(on: false), "jobs are started again, 2 waiting"),
        ] {
            #expect(rig.run(words + ["--socket", rig.socket]) == 0, "\(rig.err)")
            #expect(try daemon.calls(.serverDrain).last?.decode() == params)
            #expect(rig.out.contains(said), "\(rig.out)")
        }
        #expect(rig.run(["drain", "--off", "--exit"]) == 2)
        #expect(rig.run(["drain", "--node", "a", "--exit"]) == 2)
    }

    private static func node(_ name: String, _ state: NodeReport.State, jobs: [Int64] = []) -> NodeReport {
        var node = NodeReport(
            name: name, state: state, version: "1.2", since: Moment(milliseconds: 1),
            heard: Moment(milliseconds: 2))
        (node.host, node.processors, node.busyProcessors, node.jobs) = ("host", 8, 3, jobs)
        (node.tags, node.silence) = (["gpu"], 4)
        return node
    }

    @Test func nodesAreATable() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, method, _ in
            guard method == .serverNodes else { throw RemoteError.notScripted(method.rawValue) }
            var here = Self.node("ada", .active, jobs: [4, 5, 6, 7, 8, 9])
            here.answers = true
            return try json(NodesResult([here, Self.node("bob", .gone)]))
        }
        defer { daemon.stop() }
        #expect(rig.run(["nodes", "--socket", rig.socket]) == 0, "\(rig.err)")
        let lines = rig.out.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            lines.count == 3 && lines[1].starts(with: ["ada", "*", "active", "1.2", "host", "3/8"]),
            "\(lines)")
        #expect(
            rig.out.contains("4 5 6 7 8 …") && lines[2].starts(with: ["bob", "gone", "1.2", "host", "-"]))
        #expect(rig.run(["nodes", "--json", "--socket", rig.socket]) == 0)
        #expect(rig.out.contains(#""name":"ada""#))
    }

    /// Another node is told, and waited for: first until it has noticed, then until nothing runs there.
    @Test func anotherNodeIsWaitedFor() throws {
        let rig = try Rig()
        let looks = Mutex(0)
        let daemon = try FakeDaemon(rig.socket) { _, method, params in
            switch method {
            case .serverDrain:
                let params: DrainParams = try params.decode()
                return try json(DrainResult(draining: params.on != false, waiting: 2))
            case .serverNodes:
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                return try json(
                    NodesResult([
                        Self.node("ada", .active),
                        Self.node("bob", look < 2 ? .active : .draining, jobs: look < 3 ? [7] : []),
                    ]))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        #expect(rig.run(["drain", "--node", "bob", "--socket", rig.socket]) == 0, "\(rig.err)")
        #expect(try daemon.calls(.serverDrain).last?.decode() == DrainParams(on: true, node: "bob"))
        #expect(looks.withLock(\.self) == 3 && rig.out.contains("nothing runs on bob"), "\(rig.out)")
        #expect(rig.run(["drain", "--node", "bob", "--off", "--socket", rig.socket]) == 0)
        #expect(looks.withLock(\.self) == 3 && rig.out.contains("jobs are started again on bob"))
    }
}
