// The bitmap subtitles of discs (PGS), cut and shifted in a transport stream as on Blu-ray; checked with ffprobe.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Render

struct DiscSubtitleTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The type, the size, and the body.
    private static func segment(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 0, UInt8(body.count)] + body
    }

    /// Sizes, rate and number, the state, the palette, and an object if there is one.
    private static func composition(_ state: UInt8, shows: Bool) -> [UInt8] {
        let object: [UInt8] = [0, 0, 0, 0, 0, 8, 0, 8]
        return segment(
            0x16, [1, 64, 0, 180, 0x10, 0, 1, state, 0, 0, shows ? 1 : 0] + (shows ? object : []))
    }

    private static let window = segment(0x17, [1, 0, 0, 8, 0, 8, 0, 2, 0, 2])
    private static let end = segment(0x80, [])

    /// The segments of a display set: two pixels by two, or nothing.
    private static func displaySet(shows: Bool) -> [[UInt8]] {
        guard shows else { return [composition(0, shows: false), window, end] }
        let palette = segment(0x14, [0, 0, 1, 235, 128, 128, 255])
        let object = segment(0x15, [0, 0, 0, 0xC0, 0, 0, 12, 0, 2, 0, 2, 1, 1, 0, 0, 1, 1, 0, 0])
        return [composition(0x80, shows: true), window, palette, object, end]
    }

    /// Four seconds of film with a subtitle from 0.5 to 1.5 and another from 2.5 to 3.5.
    private func film(audio codec: String) throws -> String {
        let subtitles = scratch.name("sup")
        var bytes: [UInt8] = []
        for (index, shows) in [true, false, true, false].enumerated() {
            for segment in DiscSubtitleTests.displaySet(shows: shows) {
                let ticks = UInt32(90_000 * index)
                let time = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ticks >> UInt32($0)) }
                bytes += Array("PG".utf8) + time + [0, 0, 0, 0] + segment
            }
        }
        try Data(bytes).write(to: URL(filePath: subtitles))
        let file = scratch.name("mkv")
        let audio = ["-f", "lavfi", "-i", "sine=d=4:r=48000"]
        try Tool.ffmpeg(
            Film.video(seconds: "4") + audio + ["-itsoffset", "0.5", "-f", "sup", "-i", subtitles]
                + ["-map", "0:v", "-map", "1:a", "-map", "2:s"] + Film.h264() + [
                    "-c:a", codec, "-c:s", "copy", "-bsf:s", "pgs_frame_merge", "-metadata:s:s:0",
                    "language=swe", file,
                ])
        return file
    }

    @Test(arguments: ["m2ts", "mts"]) func theyAreCutAndKept(_ type: String) throws {
        let made = try export(
            film(audio: "ac3"), "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch, type: type
        ) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
        }
        #expect(made.result.dropped.map(\.what) == ["language 'swe' of track 2"])
        let output = try Carried.of(made.file, packets: true)
        #expect(output.streams("subtitle").map(\.codec_name) == ["hdmv_pgs_subtitle"])
        // The one on screen at the in point, its end, and the second one.
        let times = try output.events(of: 2).map { try #require(Double($0.pts_time ?? "")) - 1.4 }
        // The source's times are whole milliseconds, of which the audio's first is some late.
        #expect(times.count == 3 && zip(times, [0, 0.5, 1.5]).allSatisfy { abs($0 - $1) < 0.01 }, "\(times)")
    }

    /// A codec that discs do not have makes it another stream, in which nothing names these subtitles.
    @Test func theyAreLeftOutBesideOtherCodecs() throws {
        let made = try export(
            film(audio: "aac"), "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch, type: "m2ts"
        ) {
            ($0.render, $0.output.name) = (.auto, "out.m2ts")
        }
        let left = try #require(made.result.dropped.first { $0.track == 2 })
        #expect(left.reason == ".m2ts cannot hold hdmv_pgs_subtitle beside aac")
        let output = try Carried.of(made.file)
        #expect(output.streams("subtitle").isEmpty && output.streams("audio").map(\.codec_name) == ["aac"])
    }

    /// Discs store each segment in a packet of its own.
    @Test(arguments: [true, false]) func segmentsFollowTheirComposition(_ shows: Bool) throws {
        var screen = SubtitlesOnScreen(codec: "hdmv_pgs_subtitle")
        var number: Int64 = 0
        for segment in DiscSubtitleTests.displaySet(shows: true)
            + DiscSubtitleTests.displaySet(shows: shows)
        {
            number += 1
            let packet = try Packet(bytes: segment, flags: 0, sideData: [])
            packet.pts = number
            screen.take(packet, until: nil)
        }
        #expect(try screen.shown(at: 20).map(\.pts) == (shows ? [6, 7, 8, 9, 10] : []))
    }
}
