// The decoded pixels of every frame of a file, as sums that are equal where all pixels are.
import Foundation

enum FrameSums {
    /// The sums of a file's frames, in presentation order.
    static func of(_ file: String) throws -> [Substring] {
        try lines(of: file, "v:0").compactMap { $0.split(separator: " ").last }
    }

    /// The times of a file's frames in presentation order, in milliseconds.
    static func milliseconds(of file: String) throws -> [Int] {
        struct Answer: Decodable {
            struct Frame: Decodable { var pts_time: String }
            var frames: [Frame]
        }
        return try Tool.ffprobe(
            ["-select_streams", "v:0", "-show_entries", "frame=pts_time", file], as: Answer.self
        ).frames.compactMap { Double($0.pts_time) }.map { Int(($0 * 1000).rounded()) }
    }

    /// ffmpeg's lines for all decoded frames or samples of a kind of track, with their times and sums.
    static func lines(of file: String, _ kind: String, _ options: [String] = []) throws -> [Substring] {
        let words = ["-i", file, "-map", "0:\(kind)", "-fps_mode", "passthrough"] + options
        return String(decoding: try Tool.ffmpeg(words + ["-f", "framemd5", "-"]), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
}
