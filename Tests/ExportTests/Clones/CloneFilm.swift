// An export whose output is given blocks of its source by a double of the file system: it copies the bytes of each range that it is
// asked for, and nothing else. And what independent programs read in files.
import Foundation
import ISOMedia
import Libav
import Media
import MediaTime
import Render
import Testing

/// An output whose blocks were given by the double.
struct Cloned {
    var made: Made
    /// The ranges that were asked for.
    var ranges: [ClonedRange]

    static let block: Int64 = 4096

    /// Exports `input`, and gives the output what it lacks.
    static func export(
        _ input: String, start: Time? = nil, end: Time? = nil, in scratch: Scratch, type: String = "mp4",
        adjust: (inout ExportRequest) -> Void = { _ in }
    ) throws -> Cloned {
        var wanted = CloneRequest(block: block)
        wanted.least = 128 << 10
        var made = try ExportTests.export(
            input, "passthrough", start: start, end: end, in: scratch, type: type, clones: wanted
        ) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
            adjust(&$0)
        }
        let ranges = made.result.clones ?? []
        let source = try FileHandle(forReadingFrom: URL(filePath: input))
        let output = try FileHandle(forUpdating: URL(filePath: made.file))
        for range in ranges {
            #expect([range.output, range.source, range.length].allSatisfy { $0 % block == 0 && $0 >= 0 })
            try output.seek(toOffset: UInt64(range.output))
            let before = try #require(try output.read(upToCount: Int(range.length)))
            #expect(before == Data(count: before.count), "bytes were written that are cloned")
            try source.seek(toOffset: UInt64(range.source))
            let bytes = try #require(try source.read(upToCount: Int(range.length)))
            #expect(bytes.count == range.length)
            try output.seek(toOffset: UInt64(range.output))
            try output.write(contentsOf: bytes)
        }
        made.result.clones = nil
        return Cloned(made: made, ranges: ranges)
    }

    var bytes: Int64 { ranges.reduce(0) { $0 + $1.length } }
}

/// A sample of a movie, by ffprobe and ffmpeg.
struct StoredPacket: Hashable {
    var stream: Int
    var time: String
    var bytes: Range<Int64>
    var hash: String

    /// All samples of a file, in the order of each stream.
    static func all(of file: String) throws -> [StoredPacket] {
        struct Answer: Decodable {
            struct Packet: Decodable {
                var stream_index: Int, pts_time: String?, size: String, pos: String?, data_hash: String
            }
            var packets: [Packet]
        }
        let found = try Tool.ffprobe(
            [
                "-show_packets", "-show_entries", "packet=stream_index,pts_time,size,pos,data_hash",
                "-show_data_hash", "md5", file,
            ],
            as: Answer.self
        ).packets
        return try found.map {
            let (size, offset) = (try #require(Int64($0.size)), Int64($0.pos ?? "") ?? -1)
            return StoredPacket(
                stream: $0.stream_index, time: $0.pts_time ?? "", bytes: offset..<(offset + size),
                hash: $0.data_hash)
        }
    }
}

extension [StoredPacket] {
    /// The samples of a stream without their places.
    func contents(of stream: Int) -> [String] {
        filter { $0.stream == stream }.map { "\($0.time) \($0.bytes.count) \($0.hash)" }
    }

    /// The parts of a file that samples take, joined where they touch.
    var spans: [Range<Int64>] {
        map(\.bytes).sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { spans, next in
            if let last = spans.last, last.upperBound == next.lowerBound {
                spans[spans.count - 1] = last.lowerBound..<next.upperBound
            } else {
                spans.append(next)
            }
        }
    }
}

/// The contents of a movie's media boxes, and the names of its boxes.
func mediaBoxes(of file: String) throws -> (names: [String], contents: [Range<Int64>]) {
    let handle = try FileHandle(forReadingFrom: URL(filePath: file))
    let size = Int64(try handle.seekToEnd())
    var (names, contents): ([String], [Range<Int64>]) = ([], [])
    var offset: Int64 = 0
    while offset < size {
        try handle.seek(toOffset: UInt64(offset))
        let head = [UInt8](try handle.read(upToCount: BoxHeader.longest) ?? Data())
        let box = try #require(BoxHeader(head, at: offset))
        try #require(box.end <= size)
        names.append(box.name)
        if box.name == "mdat", box.body < box.end { contents.append(box.body..<box.end) }
        offset = box.end
    }
    return (names, contents)
}
