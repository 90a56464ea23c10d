// ffprobe's facts of everything beside audio and video: metadata, chapters, subtitles, data.
import FoundationEssentials
import MediaTime
import Testing

/// A file according to ffprobe.
struct Carried: Decodable {
    struct Format: Decodable {
        var duration: String?
        var tags: [String: String]?
    }
    struct Stream: Decodable {
        var index: Int
        var codec_type: String
        var codec_name: String?
        var codec_tag_string: String?
        var duration: String?
        var width: Int?
        var nb_frames: String?
        var disposition: [String: Int]
        var tags: [String: String]?
    }
    struct Chapter: Decodable, Equatable {
        var start_time: String, end_time: String
        var tags: [String: String]?
        var title: String? { tags?["title"] }
    }
    struct Packet: Decodable, Equatable {
        var stream_index: Int
        var pts_time: String?
        var duration_time: String?
        var size: String
    }
    var format: Format
    var streams: [Stream]
    var chapters: [Chapter]
    var packets: [Packet]?

    static func of(_ file: String, packets: Bool = false) throws -> Carried {
        try Tool.ffprobe(
            ["-show_format", "-show_streams", "-show_chapters"] + (packets ? ["-show_packets"] : []) + [file],
            as: Carried.self)
    }

    /// The container's metadata, by FFmpeg's names in small letters.
    var tags: [String: String] {
        Dictionary((format.tags ?? [:]).map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// The tracks of a kind.
    func streams(_ kind: String) -> [Stream] { streams.filter { $0.codec_type == kind } }

    /// The packets of a track with something in them: start, length, bytes.
    func events(of stream: Int, least: Int = 3) -> [Packet] {
        (packets ?? []).filter { $0.stream_index == stream && (Int($0.size) ?? 0) >= least }
    }

    /// A file of ffmpeg's metadata format.
    static func ffmetadata(
        _ tags: [(String, String)] = [], chapters: [(from: Int, to: Int, title: String?)] = [],
        in scratch: Scratch
    ) throws -> String {
        let file = scratch.name("ffmeta")
        var lines = [";FFMETADATA1"] + tags.map { "\($0)=\($1)" }
        for chapter in chapters {
            lines += ["[CHAPTER]", "TIMEBASE=1/1000", "START=\(chapter.from)", "END=\(chapter.to)"]
            if let title = chapter.title { lines.append("title=\(title)") }
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }
}
