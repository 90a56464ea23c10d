// How much of a track lies in a range, as it is stored: beside what ffprobe counts.
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct StoredProbeTests {
    private struct Answer: Decodable {
        struct Packet: Decodable {
            var size: String
            var dts_time: String?
            var pts_time: String
            var flags: String
        }
        var packets: [Packet]
    }

    /// Bytes from the last sync sample at or before a time up to another.
    private func stored(_ file: String, _ kind: String, _ from: Double, _ to: Double) throws -> Double {
        var sum = 0.0
        let packets = try Tool.ffprobe(
            ["-select_streams", kind, "-show_entries", "packet=size,pts_time,dts_time,flags", file],
            as: Answer.self
        ).packets
        for packet in packets {
            let time = Double(packet.dts_time ?? packet.pts_time) ?? 0
            if time >= to { break }
            if packet.flags.hasPrefix("K"), time <= from { sum = 0 }
            sum += Double(packet.size) ?? 0
        }
        return sum
    }

    @Test(arguments: [("mp4", 3.0), ("mkv", 3.0), ("mp4", 10.0), ("mkv", 10.0), ("ts", 2.0)])
    func itIsWhatIsThere(_ type: String, _ seconds: Double) throws {
        let scratch = try Scratch()
        let words =
            Film.video(seconds: "14") + Film.noise(48_000, seconds: "14") + Film.h264() + ["-c:a", "aac"]
        let file = try Film(name: "", type: type, words: words).make(in: scratch)
        let source = try scratch.source(file)
        let asset = try Probe.asset(of: source)
        let start = 2.5 + asset.start.seconds
        let amounts = StoredProbe(source: source, asset: asset).amounts([
            TimeSpan(start: Time(5, 2), end: Time(5, 2) + Time(Int64(seconds), 1))
        ])
        for (kind, track) in [("v", asset.mainVideo), ("a", asset.audioTracks.first)] {
            let amount = try #require(track.flatMap { amounts[$0.index] })
            if type != "ts" { #expect(amount.isCounted == (type == "mp4" || seconds < 6)) }
            let truth = try stored(file, kind, start, start + seconds)
            let slack = amount.isCounted ? 0.05 : 0.25
            #expect(abs(amount.bytes / truth - 1) < slack, "\(kind): \(amount.bytes) of \(truth)")
        }
    }
}
