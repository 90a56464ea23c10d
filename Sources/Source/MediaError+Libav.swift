// Converts FFmpeg's failures to errors for users. Only here are the libraries' error codes interpreted.
package import Libav
package import Media
package import MediaTime

extension MediaError {
    /// The error that users get for a failure of FFmpeg's libraries.
    package init(_ error: LibavError, fallback: ErrorCode, track: Int? = nil, time: Time? = nil) {
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
    package init(_ failure: OpenFailure, source: SourceFile) {
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

/// Runs calls of FFmpeg's libraries; a failure becomes `fallback` where its cause has no code of its own.
package func media<R>(
    _ fallback: ErrorCode, track: Int? = nil, _ body: () throws(LibavError) -> R
) throws(MediaError) -> R {
    do throws(LibavError) { return try body() } catch {
        throw MediaError(error, fallback: fallback, track: track)
    }
}
