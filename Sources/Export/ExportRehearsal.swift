// Reads, plans and verifies an export of two seconds of silence, and copies a second of a film of its own. Swift looks up types and
// their conformances, and FFmpeg and the loader their functions, at the first use in a process, which takes longer than the work
// itself: a process that is forked for each request does it before. The bytes are constants of this program, the results mean
// nothing. It starts no thread and keeps nothing.
internal import Check
internal import Glibc
public import Libav
public import Media
internal import MediaTime
internal import Pictures
internal import Source

/// A rehearsal of the work on a file.
public enum ExportRehearsal {
    /// The file: two seconds of silence in mono PCM.
    public static var file: [UInt8] {
        let (rate, count) = (ExportRehearsal.rate, 2 * ExportRehearsal.rate)
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let format = little(1, 2) + little(1, 2) + little(rate, 4) + little(2 * rate, 4) + little(2, 2)
        return Array("RIFF".utf8) + little(36 + 2 * count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            + format
            + little(16, 2) + Array("data".utf8) + little(2 * count, 4)
            + [UInt8](repeating: 0, count: 2 * count)
    }

    /// Samples per second.
    private static let rate = 8000

    /// The film: two seconds of H.264 and AAC in MP4.
    public static var film: [UInt8] { RehearsalFilm.bytes }

    /// A copy of the middle of the film.
    static var copying: ExportRequest {
        let preset = Preset(
            id: "copy", name: "copy", appleName: nil, fileTypes: ["mp4"], video: nil, audio: nil,
            isPassthrough: true)
        var request = ExportRequest(
            input: "/a.mp4", output: OutputTarget(folder: "/", name: "b.mp4", stem: "b"), preset: preset,
            render: .copy)
        request.range.start = .time(Time(1, 2))
        request.range.end = .time(Time(3, 2))
        return request
    }

    /// Copies the middle of a film, and verifies the output, as workers would; on the caller's thread alone.
    /// - Parameters:
    ///   - source: holds the bytes of `film`.
    ///   - output: open for reading and writing, empty.
    /// - Returns: whether all of it succeeded.
    @discardableResult
    public static func copy(_ source: SourceFile, output: Int32) -> Bool {
        do throws(MediaError) {
            var exporter = Exporter(source, copying)
            exporter.isSerial = true
            let result = try exporter.run(output: output, progress: { _ in }, log: { _ in })
            let written = SourceFile(
                descriptor: output, size: Int64(lseek(output, 0, SEEK_END)), name: "b.mp4")
            return try Verification(written, result).run().isEmpty
        } catch { return false }
    }

    /// Reads a file as a worker would.
    /// - Parameters:
    ///   - source: holds the bytes of `file`.
    ///   - request: an export of its first seconds.
    /// - Returns: whether all of it succeeded.
    @discardableResult
    public static func run(on source: SourceFile, _ request: ExportRequest) -> Bool {
        do throws(MediaError) {
            let asset = try Probe.asset(of: source)
            guard let track = asset.tracks.first else { return false }
            let checker = Checker(source, presets: [request.preset], fileType: nil)
            guard try checker.report().canTrim else { return false }
            _ = try Exporter(source, request).forecast(division: nil)
            let mono = MonoAudio(
                source: source, track: track, origin: asset.start, rate: rate, diagnostics: Diagnostics())
            var count = 0
            try mono.read(from: .zero, to: nil) { samples in
                count += samples.count
                return true
            }
            let span = TimeSpan(start: .zero, end: Time(2, 1))
            let result = ExportResult(
                render: .copy, fileType: FileType.wav.rawValue, requested: span, actual: span,
                tracks: [
                    TrackResult(
                        index: 0, source: 0, kind: .audio, codec: track.codec, way: .copy, actual: span)
                ], bytes: source.size, warnings: [], dropped: [])
            try Verification(source, result).run()
            return count == 2 * rate
        } catch { return false }
    }
}
