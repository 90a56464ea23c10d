// Captions, light levels and Dolby Vision of the source's frames, at cut points too.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Codecs
@testable import Export

@Suite(.timeLimit(.minutes(10))) struct PictureSEITests {
    enum Codec {
        case h264, hevc

        var type: any NALCodec.Type { self == .h264 ? H264Codec.self : HEVCCodec.self }
    }

    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func message(_ codec: Codec, _ type: Int, _ payload: [UInt8]) -> [UInt8] {
        (codec == .h264 ? [6] : [0x4e, 1])
            + EmulationPrevention.escape(SEIMessage(type: type, payload: payload[...]).bytes + [0x80])
    }

    /// Captions that hold a frame's number, with zeros so that there is something to escape.
    private static func captions(_ codec: Codec, _ number: Int) -> [UInt8] {
        message(
            codec, 4,
            [0xb5, 0, 0x31] + Array("GA94".utf8) + [3, 0x41, 0xff, 0xfc, 0, 0, 0, UInt8(number), 0xff])
    }

    private static func vision(_ codec: Codec, _ number: Int) -> [UInt8] {
        (codec == .h264 ? [28] : [0x7c, 1]) + [0x19, 8, 9, UInt8(number), 0x80]
    }

    private static func light(_ codec: Codec) -> [UInt8] { message(codec, 144, [3, 0xe8, 0, 0xc8]) }

    @Test(arguments: [Codec.h264, .hevc]) func whatIsSaidIsReadAndWrittenAgain(
        _ codec: Codec
    ) throws {
        let slice: [UInt8] = codec == .h264 ? [0x65, 0x88, 1] : [0x26, 1, 0xaf]
        let words = Array("x264 - core 164".utf8)
        let own: [UInt8] = [
            0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
        ]
        let timing = PictureSEITests.message(codec, 1, [1, 2])
        let units = [
            PictureSEITests.message(codec, 5, own + words), timing, PictureSEITests.light(codec),
            PictureSEITests.captions(codec, 7), slice, PictureSEITests.vision(codec, 7),
        ]
        let packet = try #require(NALFraming.annexB.join(units.map { $0[...] }))
        let messages = PictureSEI(packet[...], codec: codec.type, framing: .annexB)
        let other: [[UInt8]] = [[1, 2, 3]]
        func written(_ isKey: Bool) -> [[UInt8]] {
            messages.units(around: other.map { $0[...] }, isKey: isKey).map(Array.init)
        }
        #expect(written(false) == [units[3], other[0], units[5]])
        #expect(written(true) == [units[2], units[3], other[0], units[5]])
        // Persistent messages stay; a later one replaces them.
        let shelf = SourceSEI(codec: codec.type, framing: .annexB)
        shelf.append(packet, pts: 10)
        shelf.append(try #require(NALFraming.annexB.join([slice[...]])), pts: 20)
        #expect(shelf.take(20).units(around: [], isKey: true).map(Array.init) == [units[2]])
        #expect(shelf.take(20) == PictureSEI())
        #expect(shelf.take(10) == messages)
        // Damage is left out.
        for count in 0..<packet.count {
            _ = PictureSEI(packet.prefix(count), codec: codec.type, framing: .annexB)
        }
    }

    /// A film whose frames hold their number, in captions and in Dolby Vision's NAL unit.
    private func film(_ codec: Codec) throws -> String {
        let options = "keyint=20:min-keyint=20:scenecut=0:bframes=0"
        let stream =
            codec == .h264
            ? try EncodedStream.h264(options) : try EncodedStream.hevc(options + ":open-gop=0")
        var bytes: [UInt8] = []
        for (number, packet) in EncodedStream.packets(stream, isHEVC: codec == .hevc).enumerated() {
            var units = NALUnits(packet[...], framing: .annexB).map { Array($0) }
            let first = try #require(
                units.firstIndex { unit in
                    let head = unit.first ?? 0
                    return codec == .h264 ? 1...5 ~= head & 31 : head >> 1 & 63 < 32
                })
            units.insert(PictureSEITests.captions(codec, number), at: first)
            if number == 0 { units.insert(PictureSEITests.light(codec), at: first) }
            units.append(PictureSEITests.vision(codec, number))
            bytes += try #require(NALFraming.annexB.join(units.map { $0[...] }))
        }
        let raw = scratch.name(codec == .h264 ? "h264" : "hevc")
        try Data(bytes).write(to: URL(filePath: raw))
        let film = scratch.name("mp4")
        try Tool.ffmpeg(["-r", "25", "-i", raw, "-c", "copy", film])
        return film
    }

    /// The SEI of a film's frames, in decoding order.
    private func said(_ file: String, _ codec: Codec) throws -> [PictureSEI] {
        let demuxer = try Demuxer(scratch.source(file), quick: true)
        let framing = codec.type.framing(extradata: try CodecParameters(demuxer, track: 0).extradata)
        var all: [PictureSEI] = []
        let packet = try Packet()
        while case .packet = demuxer.read(into: packet) {
            all.append(PictureSEI(packet.bytes[...], codec: codec.type, framing: framing))
        }
        return all
    }

    @Test(arguments: [Codec.h264, .hevc], ["mov", "mkv", "ts"])
    func endsThatAreEncodedSayWhatTheSourceSaid(_ codec: Codec, _ type: String) throws {
        let film = try film(codec)
        let before = try said(film, codec)
        try #require(before.count == 50)
        let made = try export(
            film, "passthrough", start: Time(12, 25), end: Time(45, 25), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.smart, "out.\(type)") }
        let track = try #require(made.result.tracks.first)
        #expect(track.framesEncoded == 8 && track.framesCopied == 25)
        let after = try said(made.file, codec)
        func own(_ messages: PictureSEI) -> [[UInt8]] {
            messages.units(around: [], isKey: false).map(Array.init)
        }
        #expect(after.map(own) == before[12..<45].map(own))
        // The source has light levels on its first frame only; the output's first frame gets them.
        #expect(
            after.first?.units(around: [], isKey: true).map(Array.init).first
                == PictureSEITests.light(codec))
        try verify(made, in: scratch)
    }
}
