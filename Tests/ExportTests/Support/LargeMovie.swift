// A movie of more than 4 GiB that takes hardly any room: its samples lie behind a hole, the last ones just where 32 bits end.
import Foundation
import ISOMedia
import Testing

@testable import Export

/// Makes such a movie of a small one that ffmpeg has written.
struct LargeMovie {
    private let brand: [UInt8]
    private let samples: [UInt8]
    private let index: [UInt8]
    private let old: Int64

    /// Takes a small movie apart, whose index comes last.
    init(_ file: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var offset = 0
        var parts: [String: Range<Int>] = [:]
        while offset < bytes.count {
            let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            try #require(size >= 8)
            parts[String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)] = offset..<offset + size
            offset += size
        }
        let media = try #require(parts["mdat"])
        brand = Array(bytes[try #require(parts["ftyp"])])
        index = Array(bytes[try #require(parts["moov"])])
        samples = Array(bytes[media.lowerBound + 8..<media.upperBound])
        old = Int64(media.lowerBound + 8)
    }

    /// Writes it with the index behind the media, and bytes kept free before that.
    func write(reserve: Int, to file: String) throws {
        let distance = try distance()
        try write(
            before: [UInt8](repeating: 0, count: reserve), behind: index(movedBy: distance),
            at: old + distance,
            to: file)
    }

    /// Writes it with the index before the media.
    func writeIndexFirst(to file: String) throws {
        let distance = try distance()
        try write(before: index(movedBy: distance), behind: [], at: old + distance, to: file)
    }

    /// The index for samples that lie so much further back, in 32 bits.
    private func index(movedBy distance: Int64) throws -> [UInt8] {
        var movie = try #require(Box(parsing: index[...]))
        LargeMovie.forEachOffset(in: &movie) { $0 + distance }
        return movie.bytes
    }

    /// The distance by which the samples move, so that the last offset in the index is the last that fits 32 bits.
    private func distance() throws -> Int64 {
        var movie = try #require(Box(parsing: index[...]))
        var last: Int64 = 0
        LargeMovie.forEachOffset(in: &movie) {
            last = max(last, $0)
            return $0
        }
        return Int64(UInt32.max) - last
    }

    private static func forEachOffset(in box: inout Box, _ change: (Int64) -> Int64) {
        if box.name == "stco" {
            for at in stride(from: 8, to: box.body.count - 3, by: 4) {
                let old = box.body[at..<at + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
                box.body.replaceSubrange(at..<at + 4, with: BigEndian.bytes(UInt32(clamping: change(old)), 4))
            }
        }
        for index in (box.children ?? []).indices {
            if var child = box.children?[index] {
                forEachOffset(in: &child, change)
                box.children?[index] = child
            }
        }
    }

    private func write(before: [UInt8], behind: [UInt8], at offset: Int64, to file: String) throws {
        let start = brand + before
        let size = offset + Int64(samples.count) - Int64(start.count)
        let head = BigEndian.bytes(1, 4) + Array("mdat".utf8) + BigEndian.bytes(size, 8)
        try #require(FileManager.default.createFile(atPath: file, contents: Data(start + head)))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(samples + behind))
        try handle.close()
    }
}
