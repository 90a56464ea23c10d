// The decoded pixels of every frame of a file, as sums that are equal where all pixels are.
import Foundation

enum FrameSums {
    /// The sums of a file's frames, in presentation order.
    static func of(_ file: String) throws -> [Substring] {
        try lines(of: file, "v:0").compactMap { $0.split(separator: " ").last }
    }

    /// ffmpeg's lines for all decoded frames or samples of a kind of track, with their times and sums.
    static func lines(of file: String, _ kind: String, _ options: [String] = []) throws -> [Substring] {
        let words = ["-i", file, "-map", "0:\(kind)", "-fps_mode", "passthrough"] + options
        return String(decoding: try Tool.ffmpeg(words + ["-f", "framemd5", "-"]), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
}
