// Packets that are read after a seek, where a container stores times of some frames only: they have the times that they have for a
// reader of the whole file.
import Media
import MediaTime
import Testing

@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct SeekedPacketTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private struct Stored: Hashable {
        var pts: Int64?
        var dts: Int64?
        var bytes: [UInt8]
    }

    /// The packets of a track from a time on, or from the beginning.
    private func packets(_ file: String, track: Int, from ticks: Int64? = nil) throws -> [Stored] {
        let demuxer = try Demuxer(try scratch.source(file))
        demuxer.select(track: track)
        if let ticks { try #require(demuxer.seek(track: track, toTicks: ticks)) }
        let packet = try Packet()
        var list: [Stored] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track else { continue }
            list.append(Stored(pts: packet.pts, dts: packet.dts, bytes: packet.bytes))
        }
        return list
    }

    /// Several small frames lie in one packet of the stream, which stores a time for the first of them.
    @Test(arguments: ["mpeg1video", "mpeg2video"], ["mpg", "vob"])
    func everyPacketHasTheTimesThatItHasInTheWhole(_ codec: String, _ type: String) throws {
        let input = try Film(
            name: "", type: type,
            words: Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + [
                "-c:v", codec, "-q:v", "24", "-bf", "2", "-g", "15", "-c:a", "mp2", "-b:a", "192k",
            ]
        ).make(in: scratch)
        let source = try scratch.source(input)
        for track in 0..<2 {
            let whole = try packets(input, track: track)
            try #require(whole.count >= 100)
            let start = try #require(whole.first?.pts)
            for tenth in stride(from: Int64(2), to: 39, by: 3) {
                let ticks = start + tenth * 9000
                let found = try packets(input, track: track, from: ticks)
                #expect(found.elementsEqual(whole.suffix(found.count)), "track \(track) from \(tenth)")
                // The last stored time before that is at most a group away.
                let first = try #require(found.first?.dts)
                #expect(first <= ticks && ticks - first < 90_000)
            }
        }
        #expect(try Demuxer(source).format == "mpeg")
    }
}
