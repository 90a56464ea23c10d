// Playlists whose parts have audio of several sample rates: what is encoded of them has each sample of the film where the playlist has it.
import Export
import FoundationEssentials
import Media
import MediaTime
import Signals
import Testing

@testable import Libav
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistRateTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Parts of one encode of noise at 44.1 kHz with advertisements at 48 kHz between them, and the samples of the film.
    private func film(
        _ frames: [Int]
    ) throws -> (list: SourceFile, whole: [Int16], starts: [Int]) {
        let film = scratch.name("mp4"), whole = scratch.name("ts")
        let stem = scratch.path + "/" + UUID().uuidString
        let times = frames.indices.map { "\($0 + 1)" }.joined(separator: ",")
        let aac = ["-c:a", "aac", "-aac_pns", "0", "-ac", "1"]
        try Tool.ffmpeg(Film.noise(44_100, seconds: "\(frames.count + 1)") + aac + [film])
        try Tool.ffmpeg(["-i", film, "-c", "copy", whole])
        try Tool.ffmpeg([
            "-i", film, "-c", "copy", "-f", "segment", "-segment_times", times, "-reset_timestamps", "1",
            "-segment_format", "mpegts", "\(stem)-%d.ts",
        ])
        var made = try PartedFilm(in: scratch)
        try made.addPacked("p0", of: "\(stem)-0.ts")
        var starts: [Int] = []
        var packets = try count("\(stem)-0.ts")
        for (index, length) in frames.enumerated() {
            let ad = scratch.name("ts")
            try Tool.ffmpeg(Film.noise(48_000, seconds: "1") + aac + ["-frames:a", "\(length)", ad])
            try made.addPacked("a\(index)", of: ad)
            try made.addPacked("p\(index + 1)", of: "\(stem)-\(index + 1).ts")
            starts.append(packets * 1024)
            packets += try count("\(stem)-\(index + 1).ts")
        }
        return (try made.source(in: scratch), try samples(whole), starts)
    }

    private func count(_ file: String) throws -> Int {
        struct Answer: Decodable {
            struct Stream: Decodable { var nb_read_packets: String }
            var streams: [Stream]
        }
        let words = [
            "-count_packets", "-select_streams", "a", "-show_entries", "stream=nb_read_packets", file,
        ]
        let found = try Tool.ffprobe(words, as: Answer.self).streams.first?.nb_read_packets
        return try #require(found.flatMap { Int($0) })
    }

    private func samples(_ file: String) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(["-i", file, "-f", "s16le", "-"])
        return Signals.samples(bytes)
    }

    /// Samples of a part that depend on what was decoded before it.
    private static let unsettled = 8 * 1024

    @Test(arguments: [Time.zero, Time(1, 3)]) func eachPartIsWhereThePlaylistHasIt(_ start: Time) throws {
        // Of 1024 samples at 48 kHz each: they are no whole number at 44.1 kHz.
        let lengths = [11, 17, 23, 14, 26, 19, 13, 29]
        let (list, whole, starts) = try film(lengths)
        let asset = try Probe.asset(of: list)
        let joined = try #require(list.joined(of: 0))
        let begins = joined.source.changes(of: joined.track).filter(\.isMain).map(\.start).dropFirst()
        try #require(begins.count == lengths.count)
        let made = try scratch.export(list, to: "wav", preset: "wav") {
            $0.range = RangeRequest(start: .time(start), end: nil)
        }
        let found = try samples(made.file)
        for (index, (own, begin)) in zip(starts, begins).enumerated() {
            let wanted = Array(whole[(own + Self.unsettled)..<(own + Self.unsettled + 500)])
            let exact = (begin - asset.start - start).multiplied(by: 44_100, over: 1)
            let place = Int(exact.converted(to: 1).value) + Self.unsettled
            let nearby = (-40...40).first {
                place + $0 >= 0 && place + $0 + wanted.count <= found.count
                    && Array(found[(place + $0)..<(place + $0 + wanted.count)]) == wanted
            }
            #expect(nearby == 0, "part \(index + 1) is off by \(nearby.map(String.init) ?? "many") samples")
        }
    }
}
