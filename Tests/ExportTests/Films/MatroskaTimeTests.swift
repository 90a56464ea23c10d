// Matroska files whose first time is not 0, and cuts far from their beginning.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct MatroskaTimeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(from start: String, seconds: String = "4") throws -> String {
        try Film(
            name: "", type: "mkv",
            words: Film.video(seconds: seconds) + Film.noise(48_000, seconds: seconds)
                + Film.h264("keyint=10:scenecut=0") + ["-c:a", "flac", "-output_ts_offset", start]
        ).make(in: scratch)
    }

    /// Writes another duration, as writers do that count it from the first time: a float of eight bytes.
    private func setDuration(of film: String, to milliseconds: Double) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: film)))
        let head: [UInt8] = [0x44, 0x89, 0x88]
        let place = try #require((0..<1000).first { bytes[$0...].starts(with: head) }) + head.count
        let value = milliseconds.bitPattern.bigEndian
        bytes.replaceSubrange(
            place..<(place + 8), with: unsafe withUnsafeBytes(of: value) { unsafe Array($0) })
        try Data(bytes).write(to: URL(filePath: film))
    }

    /// FFmpeg's muxer counts the offset, others do not.
    @Test(arguments: ["7.3", "0", "3600"], [false, true])
    func theDurationDoesNotCountTheOffset(_ start: String, _ countsFromFirst: Bool) throws {
        let film = try film(from: start)
        if countsFromFirst { try setDuration(of: film, to: 4000) }
        let asset = try Probe.asset(of: try scratch.source(film))
        let duration = try #require(asset.duration)
        #expect((duration - Time(4, 1)).absoluteValue <= Time(1, 500), "\(duration)")
    }

    @Test func anEndBeyondIsSaid() throws {
        let film = try film(from: "7.3")
        let made = try export(
            film, "passthrough", start: Time(3, 1), end: Time(6, 1), in: scratch, type: "mkv"
        ) {
            ($0.render, $0.output.name) = (.auto, "out.mkv")
        }
        #expect(made.result.warnings.contains { $0.code == .endClamped })
        try verify(made, in: scratch)
    }

    /// The cues list the video; the audio between its packets is found by them, too.
    @Test func audioInTheMiddleIsFoundByTheCues() throws {
        let film = try film(from: "0", seconds: "60")
        let source = try scratch.source(film)
        let track = try #require(try Probe.asset(of: source).audioTracks.first)
        let reader = try TrackReader.open(
            source, track: track, origin: .zero, at: Time(55, 1), back: Time(2, 1))
        let packet = try Packet()
        #expect(reader.read(into: packet, Diagnostics()))
        let time = track.timebase.time(ofTicks: try #require(packet.pts))
        #expect(Time(52, 1)...Time(53, 1) ~= time, "\(time)")
        #expect(reader.demuxer.bytesRead < source.size / 4, "\(reader.demuxer.bytesRead) of \(source.size)")
    }
}
