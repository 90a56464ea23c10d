// The bitmap subtitles of broadcasts (DVB), cut and shifted in a transport stream and in Matroska; checked with ffprobe.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Render

struct BroadcastSubtitleTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A sync byte, the type, the page, the size, and the body.
    private static func segment(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0x0F, type, 0, 1, 0, UInt8(body.count)] + body
    }

    /// The bytes of each display set: a raw stream has no times, and ffmpeg cuts it by size.
    private static let size = 96

    /// A display set: two pixels by two, or nothing.
    private static func displaySet(shows: Bool) -> [UInt8] {
        var set = segment(0x14, [0, 0, 159, 0, 119])
        set += segment(0x10, shows ? [5, 0x0B, 0, 0xFF, 0, 8, 0, 8] : [5, 0x13])
        if shows {
            set += segment(0x11, [0, 8, 0, 2, 0, 2, 0x24, 0, 0, 8, 0, 0, 0, 0, 0xF0, 0])
        }
        // Stuffing.
        return set + segment(0xFF, Array(repeating: 0, count: size - set.count - 6))
    }

    /// Four seconds of film with a subtitle from 0.5 to 1.5 and another from 2.5 to 3.5.
    private func film() throws -> String {
        let subtitles = scratch.name("dvbsub")
        let sets = [true, false, true, false].flatMap { BroadcastSubtitleTests.displaySet(shows: $0) }
        try Data(sets).write(to: URL(filePath: subtitles))
        let file = scratch.name("ts")
        let raw = ["-f", "dvbsub", "-raw_packet_size", "\(BroadcastSubtitleTests.size)", "-i", subtitles]
        try Tool.ffmpeg(
            Film.video(seconds: "4") + raw + ["-map", "0:v", "-map", "1:s"] + Film.h264() + [
                "-c:s", "copy", "-bsf:s", "setts=ts=(N+0.5)/TB", "-metadata:s:s:0", "language=swe", file,
            ])
        return file
    }

    @Test(arguments: ["ts", "m2ts", "mkv"]) func theyAreCutAndKept(_ type: String) throws {
        let input = try film()
        /// When the display sets of an export begin.
        func times(from start: Time) throws -> [Double] {
            let made = try export(
                input, "passthrough", start: start, end: Time(3, 1), in: scratch, type: type
            ) {
                ($0.render, $0.output.name) = (.auto, "out.\(type)")
            }
            #expect(made.result.dropped.isEmpty)
            let output = try Carried.of(made.file, packets: true)
            #expect(output.streams("subtitle").map(\.codec_name) == ["dvb_subtitle"])
            #expect(output.streams("subtitle").first?.tags?["language"] == "swe")
            let events = output.events(of: 1)
            #expect(events.allSatisfy { $0.size == "\(BroadcastSubtitleTests.size)" })
            let zero = type == "mkv" ? 0 : 1.4
            return try events.map {
                ((try #require(Double($0.pts_time ?? "")) - zero) * 1000).rounded() / 1000
            }
        }
        // The one on screen at the in point, its end, and the second one.
        #expect(try times(from: Time(1, 1)) == [0, 0.5, 1.5])
        // Nothing is on screen there.
        #expect(try times(from: Time(7, 4)) == [0.75])
    }

    @Test(arguments: [
        // A change of mode, and an acquisition point, each with a region.
        (0b1000, 1, [3]), (0b0100, 1, [3]),
        // A normal page is added to what is there; one without regions ends it.
        (0b0000, 1, [1, 2, 3]), (0b0000, 0, []), (0b1000, 0, []),
    ]) func aPageSaysWhatStaysOnScreen(_ state: UInt8, _ regions: Int, _ shown: [Int64]) throws {
        var screen = SubtitlesOnScreen(codec: "dvb_subtitle")
        let region: [UInt8] = [0, 0xFF, 0, 8, 0, 8]
        let display = BroadcastSubtitleTests.segment(0x14, [0, 2, 0xCF, 2, 0x3F])
        let sets: [[UInt8]] = [
            display + BroadcastSubtitleTests.segment(0x10, [5, 0b1000] + region),
            BroadcastSubtitleTests.segment(0x11, [0]),
            BroadcastSubtitleTests.segment(
                0x10, [5, state] + Array(repeating: region, count: regions).flatMap(\.self)),
        ]
        for (index, set) in sets.enumerated() {
            let packet = try Packet(bytes: set, flags: 0, sideData: [])
            packet.pts = Int64(index + 1)
            screen.take(packet, until: nil)
        }
        #expect(try screen.shown(at: 4).map(\.pts) == shown)
    }
}
