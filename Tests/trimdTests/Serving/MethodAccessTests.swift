// Who may call what: every method is called as each caller, and what becomes of it is what the table says.
import Foundation
import Glibc
import JobQueue
import Media
import MediaTime
import Platform
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct MethodAccessTests {
    private typealias Kind = MethodAccess.Kind

    /// A user of a kind, where the job is Ann's.
    private static func user(_ kind: Kind) -> (uid: UInt32, groups: [UInt32])? {
        switch kind {
        case .ownUser: (geteuid(), [])
        case .root: (0, [])
        case .metricsReader: (ServiceRig.eve, [ServiceRig.metricsGroup])
        case .owner: (ServiceRig.ann, [])
        case .otherUser: (ServiceRig.bob, [])
        case .worker: nil
        }
    }

    /// Parameters that make sense, about a film, an output's folder and a job.
    private static func params(_ method: Wire.Method, _ rig: ServiceRig, _ id: Int64) throws -> JSONValue {
        let (film, job) = (JSONValue.string(rig.film), JSONValue.int(id))
        return switch method {
        case .hello, .presetList, .serverStatus, .serverNodes, .serverMetrics, .serverDoctor, .jobList,
            .eventsSince, .spoolOpen:
            [:]
        case .spoolWrite: ["path": .string(try input(rig)), "data": "YWI="]
        case .spoolRead: ["path": .string(try input(rig)), "offset": 0]
        case .serverDrain: ["on": true]
        case .jobGet, .jobCancel, .jobRetry, .jobHold, .jobRelease, .jobRemove, .jobLog: ["id": job]
        case .jobModify: ["id": job, "strict": true]
        case .jobWatch: ["ids": [job]]
        case .assetProbe, .assetCheck: ["path": film]
        case .assetFrame: ["path": film, "at": "0", "output": .string(rig.out + "/\(id).png")]
        case .assetSheet: ["path": film, "output": .string(rig.out + "/\(id).png")]
        case .assetVerify: ["path": film, "output": film]
        case .assetThumbnails: ["path": film, "at": ["0"]]
        case .assetWaveform: ["path": film, "buckets": 10]
        case .assetCues: ["path": film, "track": 2]
        case .assetSegment:
            [
                "path": film, "start": ["value": 0, "timescale": 1],
                "duration": ["value": 4, "timescale": 1],
            ]
        case .jobSubmit, .jobPlan: ["input": film, "output": .string(rig.out + "/")]
        }
    }

    /// An input of Ann's in the spool.
    private static func input(_ rig: ServiceRig) throws -> String {
        let ann = Caller(uid: ServiceRig.ann, own: geteuid())
        return try rig.services.spool.open(for: ann, ObjectIdentifier(rig)).input
    }

    /// A job of Ann's to which an order can be given.
    private static func job(for method: Wire.Method, _ rig: ServiceRig) throws -> Int64 {
        let job = try rig.job(of: ServiceRig.ann)
        switch method {
        case .jobRetry, .jobRemove: _ = try rig.store.cancel(job.id)
        case .jobRelease: _ = try rig.store.hold(job.id)
        default: break
        }
        return job.id
    }

    private static func isRefused(_ called: Called) -> Bool {
        guard case .error("permissionDenied", let message) = called else { return false }
        return message.hasPrefix("refused by policy")
    }

    /// Whether the method did its work, or its worker, which is none, could not.
    private static func isServed(_ called: Called) -> Bool {
        called.code == nil || called.code == "workerCrashed" || called.code == "verificationFailed"
    }

    /// Whose jobs an answer describes; nil: it describes none.
    private static func users(_ called: Called, _ method: Wire.Method) -> Set<Int64>? {
        switch method {
        case .jobList: called.result?.array.map { Set($0.compactMap { $0["user"]?.int }) }
        case .eventsSince: called.result?["events"]?.array.map { Set($0.compactMap { $0["user"]?.int }) }
        default: nil
        }
    }

    @Test(arguments: Wire.Method.allCases)
    func everyCallerGetsTheAnswerOfTheTable(_ method: Wire.Method) throws {
        let rig = try ServiceRig()
        let access = MethodAccess.of(method)
        // Another user's job, so that there is something to report that is not the caller's.
        _ = try rig.job(of: 4_000_009)
        for kind in Kind.allCases {
            guard let (uid, groups) = Self.user(kind) else { continue }
            let client = try rig.connect(as: uid, groups: groups)
            func call(passing files: Descriptors? = nil) throws -> Called {
                let id = try Self.job(for: method, rig)
                return try client.ask(method, try Self.params(method, rig, id), passing: files)
            }
            let bare = try call()
            let words = "\(method.rawValue) as \(kind.rawValue): \(bare)"
            switch access.answer(to: kind) {
            case .served: #expect(Self.isServed(bare), "\(words)")
            case .proven:
                #expect(Self.isRefused(bare), "\(words)")
                let shown = try call(passing: try rig.files())
                #expect(Self.isServed(shown), "\(words), then \(shown)")
            case .absent: #expect(bare.code == "jobNotFound", "\(words)")
            case .missing: #expect(bare.code == "fileNotFound", "\(words)")
            case .refused: #expect(Self.isRefused(bare), "\(words)")
            case .ownJobs, .inPart: #expect(Self.isServed(bare), "\(words)")
            case .ended: Issue.record("\(words)")
            }
            guard case .result(let result) = bare else { continue }
            let isOwn = access.answer(to: kind) == .ownJobs
            if let users = Self.users(bare, method) {
                #expect(isOwn ? users.isSubset(of: [Int64(uid)]) : users.count > 1, "\(words)")
            }
            if method == .serverStatus {
                let count = result["jobs"]?["waiting"]?.int ?? 0
                #expect(try Int(count) == rig.store.counts(for: isOwn ? .user(uid) : .all)[.waiting] ?? 0)
            }
            if method == .serverDoctor {
                let names = Set(result["checks"]?.array?.compactMap { $0["name"]?.string } ?? [])
                #expect(names.isSuperset(of: ["sandbox", "queue", "presets", "space", "root"]), "\(words)")
                let isDeep = access.answer(to: kind) == .served
                #expect(names.isDisjoint(with: ["database", "state"]) == !isDeep, "\(words)")
            }
        }
    }

    /// A worker is of the daemon's user, and on its own socket it may ask nothing.
    @Test func aWorkerThatCallsIsEnded() throws {
        let scratch = try Scratch()
        for method in Wire.Method.allCases {
            #expect(MethodAccess.of(method).answer(to: .worker) == .ended)
            let request = #"{"jsonrpc":"2.0","id":7,"method":"\#(method.rawValue)","params":{}}"#
            let script = """
                read request <&3
                echo '\(request)' >&3
                read answer <&3
                echo '{"jsonrpc":"2.0","id":1,"result":{"served":true}}' >&3

                """
            let program = try scratch.program("worker-\(method.rawValue)", script)
            let worker = try Worker(starting: program, Worker.Setup(policy: .bestEffort))
            let ended = DispatchSemaphore(value: 0)
            let outcome = Box<Worker.Outcome>()
            worker.serve(
                .verify, Empty(), passing: [],
                Worker.Client(then: {
                    outcome.value = $0
                    ended.signal()
                }))
            #expect(ended.wait(timeout: .now() + 60) == .success)
            guard case .failure(let error)? = outcome.value else {
                Issue.record("\(method.rawValue) was served")
                continue
            }
            #expect(error.code == .workerCrashed && error.message.contains(method.rawValue), "\(error)")
        }
    }

    @Test func thePageShowsTheTable() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Wire/Wire.docc/Protocol.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let kinds = Kind.allCases.filter { $0 != .worker }
        #expect(text.contains("| method | \(kinds.map(\.rawValue).joined(separator: " | ")) |\n"))
        for method in Wire.Method.allCases {
            let answers = kinds.map { MethodAccess.of(method).answer(to: $0).rawValue }
            let line = "| `\(method.rawValue)` | \(answers.joined(separator: " | ")) |\n"
            #expect(text.contains(line), "\(line)")
        }
    }
}

/// Something that is set once on another queue, and read after that.
final class Box<Value>: @unchecked Sendable {
    var value: Value?
}
