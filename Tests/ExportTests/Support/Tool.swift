// The programs ffmpeg and ffprobe: makers of inputs, and the strangers that judge outputs.
import FoundationEssentials
import Glibc
import Testing

/// A program of the system that is run to its end.
enum Tool {
    /// Runs `ffmpeg` with these words.
    /// - Returns: what it wrote to stdout.
    @discardableResult
    static func ffmpeg(_ words: [String]) throws -> [UInt8] {
        try run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + words)
    }

    /// Runs `ffprobe` with these words and reads its JSON.
    static func ffprobe<Answer: Decodable>(_ words: [String], as _: Answer.Type) throws -> Answer {
        try JSONDecoder().decode(
            Answer.self, from: Data(try run(["ffprobe", "-v", "error", "-of", "json"] + words)))
    }

    /// Runs another program of the system.
    static func output(_ words: [String]) throws -> String {
        String(decoding: try run(words), as: UTF8.self)
    }

    private static func run(_ words: [String]) throws -> [UInt8] {
        let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let pipe = unsafe try #require(unsafe popen(line, "re"))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        let status = unsafe pclose(pipe)
        try #require(status == 0, "\(line) ended with status \(status)")
        return bytes
    }
}
