// Shared by these tests: a folder that goes away, and requests that are plausible.
import Dispatch
import FoundationEssentials
import Media
import MediaTime
import Platform

@testable import JobQueue

/// A folder of a test's own; it goes with the last reference to it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/jobqueue-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { path + "/queue.db" }

    /// A store of an owner; another owner is another run of the daemon.
    func store(of owner: String = "test") throws -> JobStore { try JobStore(file: file, owner: owner) }

    /// Uses the file through a connection, on the connection's queue.
    func withDatabase(_ body: (Database) throws -> Void) throws {
        let queue = DispatchQueue(label: "test.database")
        try queue.sync { try body(try Database(file: file, on: queue)) }
    }
}

func preset() throws -> Preset {
    let json = """
        {"version": 1, "id": "m4a", "name": "Sound", "fileTypes": ["m4a"],
         "audio": {"codec": "aac", "encoder": "aac", "maxChannels": 2, "maxSampleRate": 48000}}
        """
    return try PresetCatalogue.preset(json: Data(json.utf8))
}

func request(_ name: String = "film", key: String? = nil) throws -> ExportRequest {
    ExportRequest(
        input: "/films/\(name).mov", output: OutputTarget(folder: "/films", name: nil, stem: "\(name)-trim"),
        range: RangeRequest(start: .time(Time(441_000, 44_100)), end: .end), preset: try preset(), key: key)
}

func result() -> ExportResult {
    let span = TimeSpan(start: Time(10, 1), end: Time(70, 1))
    return ExportResult(
        render: .encode, fileType: "m4a", requested: span, actual: span, tracks: [], bytes: 4711,
        warnings: [Warning(.audioOffset, "begins late")], dropped: [])
}

let source = FileIdentity(device: 1, inode: .max, size: 99, modified: 12_345)
let worker = ProcessIdentity(pid: 4711, start: 99, boot: "boot")
