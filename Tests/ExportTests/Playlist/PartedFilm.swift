// Playlists of parts between discontinuities, made of films by ffmpeg: parts of one encode whose timestamps begin anew, and parts that
// were made by themselves.
import Export
import FoundationEssentials
import Libav
import Testing

@testable import Source

/// A folder with the parts of a playlist.
struct PartedFilm {
    let folder: String
    /// The lines of its playlist between the first and the last.
    private(set) var lines: [String] = []

    init(in scratch: Scratch) throws {
        folder = scratch.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Adds lines.
    mutating func add(_ more: String...) { lines += more }

    /// Adds a discontinuity, but for the first part.
    mutating func begin() { if !lines.isEmpty { lines.append("#EXT-X-DISCONTINUITY") } }

    /// Adds a part that is one transport stream.
    mutating func addPart(_ name: String, _ words: [String]) throws {
        try Tool.ffmpeg(words + ["\(folder)/\(name).ts"])
        begin()
        add("#EXTINF:2,", "\(name).ts")
    }

    /// Adds a part as ffmpeg packs a transport stream of it, in segments of a second.
    mutating func addPacked(_ name: String, of stream: String, _ more: [String] = []) throws {
        let list = "\(folder)/\(name).m3u8"
        try Tool.ffmpeg(
            ["-i", stream, "-c", "copy"] + more + [
                "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_playlist_type", "vod",
                "-hls_fmp4_init_filename", "\(name).mp4", "-hls_segment_filename",
                "\(folder)/\(name)-%d.\(more.isEmpty ? "ts" : "m4s")", list,
            ])
        begin()
        let kept = ["#EXT-X-MAP", "#EXTINF"]
        lines += try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { line in !line.hasPrefix("#") || kept.contains { line.hasPrefix($0) } }
    }

    /// Decoders make the noise of this audio alike wherever they begin.
    private static let aac = ["-c:a", "aac", "-aac_pns", "0"]

    /// Times a little before those of keyframes: later versions of FFmpeg take a time that is equal for one of the part before.
    static func before(_ times: String) -> String {
        times.split(separator: ",").compactMap { Double($0) }.map { "\($0 - 0.1)" }.joined(separator: ",")
    }

    /// Divides one encode of six seconds at whole seconds into transport streams whose timestamps begin anew.
    /// - Returns: the parts, and the same samples as one file.
    static func divided(in scratch: Scratch, at times: String = "2,4") throws -> (
        parts: [String], whole: String
    ) {
        let (film, whole) = (scratch.name("mp4"), scratch.name("ts"))
        let stem = scratch.path + "/" + UUID().uuidString
        try Tool.ffmpeg(
            Film.video("30", seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264() + aac + [film])
        try Tool.ffmpeg(["-i", film, "-c", "copy", whole])
        try Tool.ffmpeg([
            "-i", film, "-c", "copy", "-f", "segment", "-segment_times", before(times), "-reset_timestamps",
            "1",
            "-segment_format", "mpegts", "\(stem)-%d.ts",
        ])
        return (
            times.split(separator: ",").indices.map { "\(stem)-\($0).ts" }
                + ["\(stem)-\(times.split(separator: ",").count).ts"], whole
        )
    }

    /// The playlist as a source.
    func source(in scratch: Scratch) throws -> SourceFile {
        let list = folder + "/list.m3u8"
        let all = ["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + lines + ["#EXT-X-ENDLIST", ""]
        try Data(all.joined(separator: "\n").utf8).write(to: URL(filePath: list))
        return try #require(try PlaylistSource(try scratch.source(list), FolderFiles(folder))).file
    }
}
