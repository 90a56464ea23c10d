// Exports in this process, as the worker makes them.
import Check
import Export
import Libav
import Media
import MediaTime
import Render
import Synchronization
import Testing

/// An export that was made.
struct Made {
    var file: String
    var result: ExportResult
    var progress: [Progress]
}

/// Exports `input`; the output goes into the scratch folder.
func export(
    _ input: String, _ presetID: String, start: Time? = nil, end: Time? = nil, in scratch: Scratch,
    type: String? = nil, artwork: String? = nil, subtitles: String? = nil, clones: CloneRequest? = nil,
    adjust: (inout ExportRequest) -> Void = { _ in }
) throws -> Made {
    let file = scratch.name(type ?? (presetID.hasPrefix("m4v") ? "m4v" : "m4a"))
    var request = ExportRequest(
        input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
        range: RangeRequest(start: start.map { .time($0) }, end: end.map { .time($0) }),
        preset: try preset(presetID),
        render: .encode)
    request.metadata = artwork.map { MetadataRequest(artwork: $0) }
    if let subtitles { request.burn(subtitles) }
    adjust(&request)
    let picture = try artwork.map { try scratch.source($0) }
    let words = try subtitles.map { try scratch.source($0) }
    let reported = ProgressLog()
    let result = try withEncoders(of: request) {
        try Exporter(try scratch.source(input), request, artwork: picture, subtitles: words, clones: clones)
            .run(
                output: try scratch.output(file), progress: { reported.add($0) }, log: { _ in })
    }
    return Made(file: file, result: result, progress: reported.all)
}

extension ExportRequest {
    /// Draws the subtitles of a file.
    mutating func burn(_ file: String) {
        var options = options ?? ExportOptions()
        options.burnSubtitles = file
        self.options = options
    }
}

/// Progress as it comes, from whatever thread.
private final class ProgressLog: Sendable {
    private let list = Mutex<[Progress]>([])
    func add(_ progress: Progress) { list.withLock { $0.append(progress) } }
    var all: [Progress] { list.withLock { $0 } }
}

/// Exports and checks that it is refused.
func refusal(
    _ input: String, _ presetID: String = "m4v720", start: Time? = nil, end: Time? = nil, in scratch: Scratch,
    subtitles: String? = nil, adjust: (inout ExportRequest) -> Void = { _ in }
) throws -> MediaError {
    try #require(throws: MediaError.self) {
        _ = try export(
            input, presetID, start: start, end: end, in: scratch, subtitles: subtitles, adjust: adjust)
    }
}

/// Checks a result the way the daemon does before it says "completed".
func verify(_ made: Made, in scratch: Scratch) throws {
    try Verification(try scratch.source(made.file), made.result).run()
}
