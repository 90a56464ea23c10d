// Converts FFmpeg's failures to errors for users. Only here are the libraries' error codes interpreted.
internal import Libav
internal import Media
internal import MediaTime
internal import Synchronization

extension MediaError {
    /// The error that users get for a failure of FFmpeg's libraries.
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
            case 5: (.inputOutput, "check the disk: the kernel's log names its errors")
            case 30: (.notWritable, "make the file system of the output writable")
            default: (fallback, nil)
            }
        self.init(code, error.description, time: time, track: track, remedy: remedy)
    }

    /// The error that users get for a source that cannot be opened.
    init(_ failure: OpenFailure, source: SourceFile) {
        switch failure {
        case .notRecognized(nil):
            let why = source.size == 0 ? "it is empty" : "no media format fits"
            self.init(
                .fileFormatNotRecognized, "\(source.name) is not media: \(why)",
                remedy: "choose a video or audio file")
        case .notRecognized(let format?) where format.hasSuffix("_pipe") || format == "image2":
            self.init(
                .fileFormatNotRecognized, "\(source.name) is a still image, not video or audio",
                remedy: "choose a video or audio file")
        case .notRecognized(let format?) where ["srt", "ass", "webvtt", "microdvd", "sami"].contains(format):
            self.init(
                .fileFormatNotRecognized, "\(source.name) holds subtitles, not video or audio",
                remedy: "choose a video or audio file; --burn-subtitles draws subtitles on its frames")
        case .notRecognized(let format?):
            self.init(
                .fileFormatNotRecognized,
                "\(source.name) is of the format '\(format)', which trimd does not take",
                remedy: "choose a video or audio file, or put what it holds into mkv or mov first")
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

/// Collects warnings for the user, from all queues of an export; each kind of warning once a track, with a count.
final class Diagnostics: Sendable {
    private struct State {
        /// The span of asset time that is exported; nil: unknown.
        var range: (start: Time, end: Time?)?
        var warnings: [Warning] = []
        var counts: [String: Int] = [:]
    }
    private let state = Mutex(State())

    /// Creates an empty collection.
    init() {}

    /// Creates a copy of another; warnings that are added later are not shared.
    init(_ other: Diagnostics) {
        let begun = other.state.withLock { $0 }
        state.withLock { $0 = begun }
    }

    /// Creates an empty collection for the same span of time as another.
    init(besides other: Diagnostics) {
        let range = other.state.withLock { $0.range }
        state.withLock { $0.range = range }
    }

    /// Adds a warning; the first of a code and track is kept with its time, the others are counted.
    func warn(_ warning: Warning) {
        let key = "\(warning.word)/\(warning.track ?? -1)"
        state.withLock { state in
            if state.counts[key, default: 0] == 0 { state.warnings.append(warning) }
            state.counts[key, default: 0] += 1
        }
    }

    /// Sets the span of asset time that matters.
    func limit(to range: (start: Time, end: Time?)) { state.withLock { $0.range = range } }

    /// Adds a warning from reading, unless its time is outside the span that matters: readers begin early and run ahead.
    func warn(ofRead warning: Warning) {
        let matters = state.withLock { state in
            guard let range = state.range, let time = warning.time else { return true }
            return time >= range.start && range.end.map { time < $0 } ?? true
        }
        if matters { warn(warning) }
    }

    /// Replaces the warning with the same code and track.
    func replace(_ warning: Warning) {
        state.withLock { state in
            state.warnings.removeAll { $0.word == warning.word && $0.track == warning.track }
            state.warnings.append(warning)
            state.counts["\(warning.word)/\(warning.track ?? -1)"] = 1
        }
    }

    /// The warnings so far, with how often each was given.
    var counted: [CountedWarning] {
        state.withLock { state in
            state.warnings.map {
                CountedWarning(warning: $0, count: state.counts["\($0.word)/\($0.track ?? -1)"] ?? 1)
            }
        }
    }

    /// Adds warnings that were given elsewhere. A warning that every part of an output gives counts once.
    func merge(_ others: [CountedWarning]) {
        for other in others {
            let key = "\(other.warning.word)/\(other.warning.track ?? -1)"
            state.withLock { state in
                let before = state.counts[key, default: 0]
                if before == 0 { state.warnings.append(other.warning) }
                let isSame = before > 0 && state.warnings.contains(other.warning)
                state.counts[key] = isSame ? max(before, other.count) : before + other.count
            }
        }
    }

    /// The warnings so far; one that occurred several times has a count.
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

/// Runs calls of FFmpeg's libraries; a failure becomes `fallback` where its cause has no code of its own.
func media<R>(
    _ fallback: ErrorCode, track: Int? = nil, _ body: () throws(LibavError) -> R
) throws(MediaError) -> R {
    do throws(LibavError) { return try body() } catch {
        throw MediaError(error, fallback: fallback, track: track)
    }
}
