// The programs ffmpeg and ffprobe: makers of inputs, and independent readers of outputs.
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// A program of the system that is run to its end.
enum Tool {
    /// Runs `ffmpeg` with these words. A film that is made of nothing but test signals is encoded once in a process, and
    /// copied for whoever asks for it again.
    /// - Returns: what it wrote to stdout.
    @discardableResult
    static func ffmpeg(_ words: [String]) throws -> [UInt8] {
        guard let file = FilmCache.output(of: words) else { return try encode(words) }
        let key = words.dropLast() + [file.split(separator: ".").last.map(String.init) ?? ""]
        if let bytes = FilmCache.bytes(of: Array(key)) {
            try Data(bytes).write(to: URL(filePath: file))
            return []
        }
        let said = try encode(words)
        FilmCache.keep(Array(try Data(contentsOf: URL(filePath: file))), of: Array(key))
        return said
    }

    /// Has another program make a film, whose name is one of its words. The same film is made once in a process, too.
    static func make(_ file: String, by words: [String]) throws {
        let key = words.map { $0 == file ? "." + ($0.split(separator: ".").last ?? "") : $0 }
        if let bytes = FilmCache.bytes(of: key) { return try Data(bytes).write(to: URL(filePath: file)) }
        _ = try run(words)
        FilmCache.keep(Array(try Data(contentsOf: URL(filePath: file))), of: key)
    }

    private static func encode(_ words: [String]) throws -> [UInt8] {
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

    /// The output of a program; nil: it fails.
    static func attempt(_ words: [String]) throws -> [UInt8]? {
        let (_, bytes, status) = try ended(words)
        return status == 0 ? bytes : nil
    }

    private static func run(_ words: [String]) throws -> [UInt8] {
        let (line, bytes, status) = try ended(words)
        try #require(status == 0, "\(line) ended with status \(status)")
        return bytes
    }

    private static func ended(_ words: [String]) throws -> (line: String, bytes: [UInt8], status: Int32) {
        let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let pipe = unsafe try #require(unsafe popen(line, "re"))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return (line, bytes, unsafe pclose(pipe))
    }
}

/// Films that were made of test signals, by the words that made them. In memory, so that nothing of it stays behind.
private enum FilmCache {
    /// Larger films are rare, and made for one test: bytes.
    private static let largest = 16 << 20
    private static let films = Mutex<[[String]: [UInt8]]>([:])

    /// The file that a command makes of test signals alone; nil where it reads or writes any other file.
    static func output(of words: [String]) -> String? {
        let folder = FileManager.default.temporaryDirectory.path
        guard let last = words.last, last.hasPrefix("/"),
            !words.dropLast().contains(where: { $0.hasPrefix("/") || $0.contains(folder) })
        else { return nil }
        for index in words.indices where words[index] == "-i" {
            guard index >= 2, words[index - 2] == "-f", words[index - 1] == "lavfi" else { return nil }
        }
        return words.contains("-i") ? last : nil
    }

    static func bytes(of key: [String]) -> [UInt8]? { films.withLock { $0[key] } }

    static func keep(_ bytes: [UInt8], of key: [String]) {
        guard bytes.count <= largest else { return }
        films.withLock { $0[key] = bytes }
    }
}
