// Packets of several frames, of which only the first has a time, as Monkey's Audio has them: wherever reading begins, the sound is at its
// time. FFmpeg writes such packets for ADPCM alone, four blocks in each.
import Libav
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(60))) struct PacketsOfFramesTests {
    private let scratch: Scratch
    private static let rate = 8000

    init() throws { scratch = try Scratch() }

    /// The samples that the cutter keeps of a part, in one channel, if it gets the packets from a time on.
    private func cut(
        _ source: SourceFile, _ track: Track, _ segment: Segment, from: Time
    ) throws -> [Float] {
        let settings = AudioSettings(
            codec: "pcm_f32le", encoder: "pcm_f32le", bitRate: nil, maxChannels: 1, maxSampleRate: Self.rate)
        var cutter = AudioCutter(
            AudioPlan(track: track, settings: settings), origin: .zero, segment, end: nil,
            isFromBeginning: from == .zero)
        var mono = MonoConverter(rate: Self.rate, mixing: .mix)
        let reader = try TrackReader.open(source, track: track, origin: .zero, at: .zero, back: .zero)
        let decoder = try Decoder(
            try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 1)
        let packet = try Packet()
        var samples: [Float] = []
        var (frames, timed) = (0, 0)
        func take(_ frame: Frame?) throws {
            cutter.take(frame)
            while let piece = try cutter.piece() { samples += try mono.convert(piece) }
        }
        while !cutter.isDone, reader.read(into: packet, Diagnostics()) {
            guard let pts = packet.pts, track.timebase.time(ofTicks: pts) >= from else { continue }
            _ = try decoder.send(packet)
            receiving: while true {
                let frame = try Frame()
                guard case .frame = try decoder.receive(into: frame) else { break receiving }
                (frames, timed) = (frames + 1, timed + (frame.bestEffort == nil ? 0 : 1))
                try take(frame)
            }
        }
        try take(nil)
        #expect(timed < frames, "the film is not what the test is about")
        return samples + (try mono.finish())
    }

    @Test func theSoundIsAtItsTimeWhereverReadingBegins() throws {
        let film = try Film(
            name: "", type: "wav", words: Film.noise(Self.rate, seconds: "9") + ["-c:a", "adpcm_ima_wav"]
        ).make(in: scratch)
        let source = try scratch.source(film)
        let track = try #require(try Probe.asset(of: source).tracks.first)
        // Inside the packet that reading begins with, and behind it: a packet lasts a second.
        for start in [Time(24, 10), Time(31, 10), Time(52, 10)] {
            let segment = Segment(start: start, end: start + Time(3, 1))
            let wanted = try cut(source, track, segment, from: .zero)
            #expect(wanted.count == 3 * Self.rate && wanted.contains { $0 != 0 })
            #expect(try cut(source, track, segment, from: Time(2, 1)) == wanted, "\(start)")
        }
    }
}
