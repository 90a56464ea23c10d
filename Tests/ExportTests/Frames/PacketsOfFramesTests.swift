// Packets of several frames, of which only the first has a time, as Monkey's Audio has them, or none, as in WMA: wherever reading
// begins, the sound is at its time. FFmpeg writes such packets for ADPCM alone, four blocks in each.
import Libav
import Media
import MediaTime
import Testing

@testable import Pictures
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PacketsOfFramesTests {
    private let scratch: Scratch
    private static let rate = 8000

    init() throws { scratch = try Scratch() }

    /// The samples that the cutter keeps of a part, in one channel, if it gets the packets from a time on.
    /// - Parameter timed: those packets have times, and so the first frame of each.
    private func cut(
        _ source: SourceFile, _ track: Track, _ segment: Segment, from: Time, timed: Bool = true
    ) throws -> [Float] {
        let settings = AudioSettings(
            codec: "pcm_f32le", encoder: "pcm_f32le", bitRate: nil, maxChannels: 1, maxSampleRate: Self.rate)
        let plan = AudioPlan(track: track, settings: settings)
        var cutter = AudioCutter(plan, origin: .zero, segment, end: nil, seeked: nil)
        var mono = MonoConverter(rate: Self.rate, mixing: .mix)
        let reader = try TrackReader.open(source, track: track, origin: .zero, at: .zero, back: .zero)
        let decoder = try Decoder(
            try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 1)
        let packet = try Packet()
        var samples: [Float] = []
        var (frames, known, hasBegun) = (0, 0, from == .zero)
        func take(_ frame: Frame?) throws {
            cutter.take(frame)
            while let piece = try cutter.piece() { samples += try mono.convert(piece) }
        }
        while !cutter.isDone, reader.read(into: packet, Diagnostics()) {
            guard let pts = packet.pts, track.timebase.time(ofTicks: pts) >= from else { continue }
            if !hasBegun {
                hasBegun = true
                let time = track.timebase.time(ofTicks: pts)
                cutter = AudioCutter(plan, origin: .zero, segment, end: nil, seeked: time)
            }
            if !timed { (packet.pts, packet.dts) = (nil, nil) }
            _ = try decoder.send(packet)
            receiving: while true {
                let frame = try Frame()
                guard case .frame = try decoder.receive(into: frame) else { break receiving }
                (frames, known) = (frames + 1, known + (frame.bestEffort == nil ? 0 : 1))
                try take(frame)
            }
        }
        try take(nil)
        #expect(known < frames && (known > 0) == timed, "the packets are not what the test is about")
        return samples + (try mono.finish())
    }

    @Test func theSoundIsAtItsTimeWhereverReadingBegins() throws {
        let film = try Film(
            name: "", type: "wav", words: Film.noise(Self.rate, seconds: "9") + ["-c:a", "adpcm_ima_wav"]
        ).make(in: scratch)
        if try Truth(film).decoded.count == Carried.of(film, packets: true).packets?.count {
            try Test.cancel("this version of FFmpeg reads packets of one frame")
        }
        let source = try scratch.source(film)
        let track = try #require(try Probe.asset(of: source).tracks.first)
        // Inside the packet that reading begins with, and behind it: a packet lasts a second.
        for start in [Time(24, 10), Time(31, 10), Time(52, 10)] {
            let segment = Segment(start: start, end: start + Time(3, 1))
            let wanted = try cut(source, track, segment, from: .zero)
            #expect(wanted.count == 3 * Self.rate && wanted.contains { $0 != 0 })
            for timed in [true, false] {
                let found = try cut(source, track, segment, from: Time(2, 1), timed: timed)
                #expect(found == wanted, "\(start) \(timed)")
            }
        }
    }
}
