// The decoded pixels of every frame of a file, as sums that are equal where all pixels are.
import Foundation

enum FrameSums {
    /// The sums of a file's frames, in presentation order.
    static func of(_ file: String) throws -> [Substring] {
        let words = ["-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
        return String(decoding: try Tool.ffmpeg(words), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
    }
}
