// The index before the media: where it fits what was kept free, where it does not, and where the film is long enough for many
// chunks. The same must play as without.
import Export
import Foundation
import ISOMedia
import Media
import MediaTime
import Testing

@testable import Libav

struct FastStartTests {
    private func boxes(_ file: String) throws -> [(String, Int)] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var found: [(String, Int)] = []
        var at = 0
        while at + 8 <= bytes.count {
            let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            found.append((String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), size))
            guard size >= 8 else { break }
            at += size
        }
        #expect(at == bytes.count, "boxes fill the file")
        return found
    }

    private func film(_ scratch: Scratch) throws -> String {
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(seconds: "4") + Film.noise(seconds: "4") + Film.h264() + ["-c:a", "aac", film])
        return film
    }

    private func hashes(_ file: String) throws -> [UInt8] {
        try Tool.ffmpeg(["-i", file, "-map", "0", "-f", "streamhash", "-"])
    }

    @Test(arguments: ["m4v480", "640x480", "m4a"]) func theIndexComesFirst(_ id: String) throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let type = id == "640x480" ? "mp4" : id == "m4a" ? "m4a" : "m4v"
        let plain = try export(film, id, start: Time(1, 3), end: Time(3, 1), in: scratch, type: type)
        let quick = try export(film, id, start: Time(1, 3), end: Time(3, 1), in: scratch, type: type) {
            $0.options = ExportOptions()
            $0.options?.optimize = true
        }
        #expect(try boxes(plain.file).last?.0 == "moov")
        let order = try boxes(quick.file)
        #expect(order.map(\.0) == ["ftyp", "moov", "free", "free", "mdat"])
        #expect(order[2].1 < 6000, "what is kept free is not wasted")
        // Two encodes need not be equal (x264 with several threads); a wrong chunk offset gives broken frames.
        try Tool.ffmpeg([
            "-xerror", "-err_detect", "explode", "-i", quick.file, "-map", "0", "-f", "null", "-",
        ])
        try verify(quick, in: scratch)
    }

    @Test func theSamplesAreTheSame() throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let both = try [false, true].map { optimize in
            try export(film, "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch, type: "mp4") {
                $0.render = .copy
                $0.options = ExportOptions()
                $0.options?.optimize = optimize
            }
        }
        #expect(try both.map { try boxes($0.file).last?.0 } == ["moov", "mdat"])
        #expect(try hashes(both[1].file) == hashes(both[0].file))
    }

    @Test(arguments: [8, 900, 1 << 16]) func anyReserveWillDo(_ reserve: Int) throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let file = scratch.name("mp4")
        try Tool.ffmpeg(["-i", film, "-c", "copy", "-map", "0", file])
        let whole = scratch.name("mp4")
        let descriptor = try scratch.output(whole)
        let setup = try MuxerSetup(format: "mp4", descriptor: descriptor)
        let demuxer = try Demuxer(try scratch.source(file))
        for stream in demuxer.streams {
            _ = try setup.addTrack(
                try CodecParameters(
                    try CodecParameters(demuxer, track: stream.index), extradata: nil, tag: nil),
                timebase: stream.timebase, language: nil, title: nil, isDefault: true)
        }
        let muxer = try setup.begin(options: [], reserve: reserve)
        let packet = try Packet()
        while case .packet = demuxer.read(into: packet) { try muxer.write(packet) }
        try muxer.finish()
        let order = try boxes(whole).map(\.0)
        #expect(order.firstIndex(of: "moov") ?? 9 < order.firstIndex(of: "mdat") ?? 0, "\(order)")
        #expect(try hashes(whole) == hashes(file))
    }

    /// The space that the muxer kept free may be too little by any number of bytes, also by one that no box can fill.
    @Test(arguments: [1, 7, 8, 100]) func whatIsLeftOfTheReserveIsFilled(_ left: Int) throws {
        let scratch = try Scratch()
        let film = try film(scratch)
        let parts = try boxes(film)
        let index = try #require(parts.first { $0.0 == "moov" }).1
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: film)))
        let whole = scratch.name("mp4")
        let brand = parts[0].1
        // The offsets in the index include the free bytes, as the muxer's do.
        let moved = MovieIndex(Array(bytes.suffix(index))).moved(beyond: 0) { _ in Int64(index + left) }
        let kept = [UInt8](repeating: 0, count: index + left)
        try Data(Array(bytes.prefix(brand)) + kept + bytes.dropFirst(brand).dropLast(index) + moved).write(
            to: URL(filePath: whole))
        try FastStart(descriptor: try scratch.existing(whole), reserve: index + left).move()
        #expect(try boxes(whole).map(\.0).prefix(3) == ["ftyp", "moov", "free"])
        #expect(try hashes(whole) == hashes(film))
    }

    /// Offsets that no longer fit 32 bits take 64, and make the index larger by that.
    @Test func offsetsBeyondFourGibibytesAreWritten() throws {
        let reserve = 100
        let scratch = try Scratch()
        let film = try film(scratch)
        let large = scratch.name("mp4")
        try LargeMovie(film).write(reserve: reserve, to: large)
        try #require(try Data(contentsOf: URL(filePath: film)).range(of: Data("co64".utf8)) == nil)
        let descriptor = try scratch.existing(large)
        try FastStart(descriptor: descriptor, reserve: reserve).move()
        let source = SourceFile(descriptor: descriptor, name: "it")
        #expect(source.size > 1 << 32)
        let head = source.bytes(at: 0, count: 1 << 16)
        #expect(Data(head).range(of: Data("co64".utf8)) != nil)
        #expect(try hashes(large) == hashes(film))
    }
}
