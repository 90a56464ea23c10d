// Overwrites the coded bytes of samples in a film, and nothing of the container.
import FoundationEssentials
import MediaTime
import Testing

/// A film whose samples can be damaged, one by one.
struct SampleDamage {
    private let file: String
    /// Where the samples of the first video track lie, with their times, in the order in which they are shown.
    private let samples: [Sample]

    private struct Sample: Decodable {
        var pts: Int64
        var pos: String
        var size: String
    }

    init(_ file: String) throws {
        struct Answer: Decodable { var packets: [Sample] }
        self.file = file
        samples = try Tool.ffprobe(
            ["-select_streams", "v:0", "-show_entries", "packet=pts,pos,size", file], as: Answer.self
        ).packets.sorted { $0.pts < $1.pts }
    }

    /// Overwrites most of each of these frames, counted in the order in which they are shown.
    /// - Parameter keeping: bytes at the sample's beginning that stay.
    func overwrite(_ frames: some Sequence<Int>, keeping: Int = 24) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        var random = Seeded(5)
        for frame in frames {
            let from = try #require(Int(samples[frame].pos))
            let size = try #require(Int(samples[frame].size))
            try #require(size > 2 * keeping, "frame \(frame) has \(size) bytes")
            if file.hasSuffix(".ts") {
                try overwritePayload(of: from, size, in: &bytes, &random)
                continue
            }
            for offset in (from + keeping)..<(from + size) {
                bytes[offset] = UInt8.random(in: 0...255, using: &random)
            }
        }
        try Data(bytes).write(to: URL(filePath: file))
    }

    /// Overwrites the packets of a transport stream that hold nothing but a part of the sample: its first and last one stay, and so do all
    /// headers. No start code arises.
    private func overwritePayload(
        of from: Int, _ size: Int, in bytes: inout [UInt8], _ random: inout Seeded
    ) throws {
        let length = 188
        func identity(_ at: Int) -> [UInt8] {
            [bytes[at], bytes[at + 1] & 0x1F, bytes[at + 2], bytes[at + 3] & 0x30]
        }
        let wanted = [0x47, bytes[from + 1] & 0x1F, bytes[from + 2], 0x10]
        var overwritten = 0
        for at in stride(from: from + length, to: min(bytes.count, from + size) - length, by: length)
        where identity(at) == wanted {
            for offset in (at + 4)..<(at + length) {
                bytes[offset] = UInt8.random(in: 1...255, using: &random)
            }
            overwritten += 1
        }
        try #require(overwritten > 0)
    }
}
