// From FFmpeg's failures to the words users see. The only place where codes of the libraries are judged.
internal import Libav
internal import Media
internal import MediaTime
internal import Synchronization

extension MediaError {
    /// A failure of FFmpeg's libraries as a user is to read it.
    init(_ error: LibavError, fallback: ErrorCode, track: Int? = nil, time: Time? = nil) {
        let (code, remedy): (ErrorCode, String?) =
            switch error.errno {
            case 28, 122: (.diskFull, "make room in the output's folder")
            case 27:
                (
                    .maximumFileSizeReached,
                    "take a smaller range or preset, or raise limits.outputMiB in trimd.json; some file systems have a limit too"
                )
            case 12: (.outOfMemory, "use a smaller preset, or raise limits.memoryMiB in trimd.json")
            case 5: (.inputOutput, "check the disk")
            default: (fallback, nil)
            }
        self.init(code, error.description, time: time, track: track, remedy: remedy)
    }

    /// Why a source could not be opened, as a user is to read it.
    init(_ failure: OpenFailure, source: SourceFile) {
        switch failure {
        case .notRecognized(nil):
            let why = source.size == 0 ? "it is empty" : "no media format fits"
            self.init(
                .fileFormatNotRecognized, "\(source.name) is not media: \(why)",
                remedy: "choose a video or audio file")
        case .notRecognized(let format?):
            self.init(
                .fileFormatNotRecognized,
                "\(source.name) is of the format '\(format)', which trimd does not take",
                remedy: "choose a video or audio file")
        case .playlist(let format):
            self.init(
                .playlist, "\(source.name) is a playlist (\(format)), not media",
                remedy: "download or join what it lists, and export that file")
        case .damaged(let error):
            self.init(error, fallback: .fileFailedToParse)
            remedy = remedy ?? "the file is damaged or not complete"
        }
    }
}

/// Collects what a user should know, from all queues of an export; each kind of warning once a track, with a count.
final class Diagnostics: Sendable {
    private struct State {
        /// The span of asset time that is exported; nil where nobody says.
        var range: (start: Time, end: Time?)?
        var warnings: [Warning] = []
        var counts: [String: Int] = [:]
    }
    private let state = Mutex(State())

    /// No notes yet.
    init() {}

    /// Begins with the notes of another; what is added later is not shared.
    init(_ other: Diagnostics) {
        let begun = other.state.withLock { $0 }
        state.withLock { $0 = begun }
    }

    /// Adds a warning; the first of a code and track is kept with its time, the others are counted.
    func warn(_ warning: Warning) {
        let key = "\(warning.word)/\(warning.track ?? -1)"
        state.withLock { state in
            if state.counts[key, default: 0] == 0 { state.warnings.append(warning) }
            state.counts[key, default: 0] += 1
        }
    }

    /// Says which span of asset time matters.
    func limit(to range: (start: Time, end: Time?)) { state.withLock { $0.range = range } }

    /// Adds a warning of what was read, unless that lies outside of the span that matters: readers run ahead, and begin early.
    func warn(ofRead warning: Warning) {
        let matters = state.withLock { state in
            guard let range = state.range, let time = warning.time else { return true }
            return time >= range.start && range.end.map { time < $0 } ?? true
        }
        if matters { warn(warning) }
    }

    /// Puts a warning in the place of the one of its code and track.
    func replace(_ warning: Warning) {
        state.withLock { state in
            state.warnings.removeAll { $0.word == warning.word && $0.track == warning.track }
            state.warnings.append(warning)
            state.counts["\(warning.word)/\(warning.track ?? -1)"] = 1
        }
    }

    /// The warnings so far; one that came several times says how often.
    var warnings: [Warning] {
        state.withLock { state in
            state.warnings.map { warning in
                let count = state.counts["\(warning.word)/\(warning.track ?? -1)"] ?? 1
                guard count > 1 else { return warning }
                var warning = warning
                warning.message += " (and \(count - 1) more)"
                return warning
            }
        }
    }
}

/// Runs calls into FFmpeg's libraries, whose failures become `fallback` where their cause has no code of its own.
func media<R>(
    _ fallback: ErrorCode, track: Int? = nil, _ body: () throws(LibavError) -> R
) throws(MediaError) -> R {
    do throws(LibavError) { return try body() } catch {
        throw MediaError(error, fallback: fallback, track: track)
    }
}
