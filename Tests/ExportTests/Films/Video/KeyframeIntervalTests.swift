// Encoded video has a keyframe as often as its preset says, and no more of them than that takes: of a cut that begins inside a frame
// one frame more begins in the same time.
import Media
import MediaTime
import Testing

@testable import Render

@Suite(.timeLimit(.minutes(10))) struct KeyframeIntervalTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The interval of the presets below.
    private static let interval = Time(2, 1)

    /// Times of the keyframes of a file's video, as ffprobe reads them.
    private func keyframes(_ file: String) throws -> [Time] {
        struct Packets: Decodable {
            struct Packet: Decodable {
                var pts_time: String
                var flags: String
            }
            var packets: [Packet]
        }
        let entries = ["-select_streams", "v:0", "-show_entries", "packet=pts_time,flags", file]
        return try Tool.ffprobe(entries, as: Packets.self).packets.filter { $0.flags.hasPrefix("K") }
            .map { Time(Int64((try #require(Double($0.pts_time)) * 1_000_000).rounded()), 1_000_000) }
    }

    /// Starts on a frame and inside one, lengths at the interval and on both sides of it, rates that do and do not divide it.
    @Test(arguments: ["25", "24000/1001", "30000/1001"], ["m4v720", "hevc1080"])
    func aCutHasNoneForItsLastFrame(_ rate: String, _ preset: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=\(rate):d=6"] + Film.h264()
        ).make(in: scratch)
        for (row, start) in [Time(12, 25), Time(51, 100), Time(53, 100)].enumerated() {
            for (column, length) in [Time(199, 100), Time(2, 1), Time(17, 8), Time(41, 10)].enumerated() {
                // The interval is the same for every encoder: of the slower one each start and each length.
                guard preset == "m4v720" || (row + column) % 3 == 0 else { continue }
                let made = try export(film, preset, start: start, end: start + length, in: scratch)
                let times = try keyframes(made.file)
                let place = "\(rate) \(preset) [\(start), \(start + length)): \(times)"
                #expect(times.first == .zero, "\(place)")
                for (one, next) in zip(times, times.dropFirst()) {
                    #expect(next - one <= Self.interval + Time(1, 1000), "\(place)")
                }
                if length <= Self.interval { #expect(times.count == 1, "\(place)") }
            }
        }
    }

    @Test func theIntervalIsCountedInFrames() throws {
        let two = Ratio(2)
        #expect(VideoEncoder.groupLength(Ratio(24), two, nil) == 48)
        #expect(VideoEncoder.groupLength(Ratio(24), two, Time(49, 24)) == 48)
        #expect(VideoEncoder.groupLength(Ratio(24), two, Time(2, 1)) == 49)
        let ntsc = try #require(Ratio(30000, 1001))
        #expect(VideoEncoder.groupLength(ntsc, two, nil) == 59)
        #expect(VideoEncoder.groupLength(ntsc, two, Time(2, 1)) == 61)
        #expect(VideoEncoder.groupLength(Ratio(1), try #require(Ratio(1, 10)), nil) == 1)
    }
}
