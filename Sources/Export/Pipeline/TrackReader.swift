// Reads one track from the place an in point needs, and decodes it. Each lane has one of its own, with a demuxer of its
// own, so that no track waits for another and badly interleaved files need no memory. Used first on the decoding queue,
// which finds the place; then the reading goes on on another queue, and the two no longer share anything.
internal import Libav
internal import Media
internal import MediaTime

/// One track, opened at the last place from which everything shown from the in point on can be decoded.
final class TrackReader {
    private let source: SourceFile
    private let samples: SampleReader
    let track: Track
    /// The container was left where it began: nothing was skipped.
    let isFromBeginning: Bool
    /// Pictures of VP9 that are not shown may lie in packets of their own. They belong to the one that is shown next, as in
    /// every other file: a packet is a picture.
    private let joiner: BitstreamFilter?
    private let origin: Time
    /// When the last sample ends, where the container broke off behind it; the beginning where there was none.
    private(set) var broken: Time?
    private var last: Time?

    /// The container, to ask it what it says; its samples are read here.
    var demuxer: Demuxer { samples.demuxer }

    private init(
        _ source: SourceFile, _ samples: SampleReader, _ track: Track, origin: Time, isFromBeginning: Bool
    ) {
        self.source = source
        self.samples = samples
        self.origin = origin
        self.track = track
        self.isFromBeginning = isFromBeginning
        joiner =
            track.codec == "vp9"
            ? (try? CodecParameters(samples.demuxer, track: track.index)).flatMap {
                try? BitstreamFilter("vp9_superframe", $0)
            } : nil
    }

    /// Opens a track at, or before, a time.
    /// - Parameters:
    ///   - back: how far before the time to ask the container to go.
    ///   - time: asset time; nil or early: the beginning.
    static func open(
        _ source: SourceFile, track: Track, origin: Time, at time: Time, back: Time,
        quick: Bool = true
    ) throws(MediaError) -> TrackReader {
        do throws(OpenFailure) {
            let samples = try SampleReader(source, quick: quick)
            samples.select(track: track.index)
            let wanted = time - back
            let first = max(track.start ?? .zero, .zero)
            guard wanted > first else {
                return TrackReader(source, samples, track, origin: origin, isFromBeginning: true)
            }
            let ticks = track.timebase.ticks(of: wanted + origin, rounding: .towardNegativeInfinity).ticks
            if samples.seek(track: track.index, toTicks: ticks) {
                return TrackReader(source, samples, track, origin: origin, isFromBeginning: false)
            }
            // What cannot seek is read from the beginning, by a demuxer that has not tried.
            let fresh = try SampleReader(source, quick: quick)
            fresh.select(track: track.index)
            return TrackReader(source, fresh, track, origin: origin, isFromBeginning: true)
        } catch { throw MediaError(error, source: source) }
    }

    /// How the track is coded, as a container that takes its packets over must know it: of a track that begins late this demuxer
    /// has not seen enough.
    func parameters() throws(LibavError) -> CodecParameters {
        guard demuxer.unknownTracks.contains(track.index), let deep = try? Demuxer(source, deep: true) else {
            return try CodecParameters(demuxer, track: track.index)
        }
        return try CodecParameters(deep, track: track.index)
    }

    /// Reads the track's next packet; false at the end. Where the container breaks off, that is the end, and it is noted.
    func read(into packet: Packet, _ diagnostics: Diagnostics) -> Bool {
        guard let joiner else { return readStored(into: packet, diagnostics) }
        while readStored(into: packet, diagnostics) {
            // What is no VP9 is the decoder's to judge.
            do throws(LibavError) { try joiner.send(packet) } catch { return true }
            if (try? joiner.receive(into: packet)) == true { return true }
        }
        return false
    }

    private func readStored(into packet: Packet, _ diagnostics: Diagnostics) -> Bool {
        while true {
            let errors = demuxer.errors
            let read = samples.read(into: packet)
            if demuxer.errors > errors {
                tell(
                    "the container has errors, and samples may be missing", at: last ?? time(packet.pts),
                    diagnostics)
            }
            switch read {
            case .packet:
                guard packet.track == track.index else { continue }
                if packet.isCorrupt {
                    tell("a sample is not whole", at: time(packet.pts) ?? last, diagnostics)
                }
                if let pts = packet.pts {
                    last = track.timebase.time(ofTicks: pts + packet.duration) - origin
                }
                return true
            case .ended: return false
            case .broken(let error):
                broken = last ?? .zero
                diagnostics.warn(
                    ofRead: Warning(
                        "truncated",
                        "track \(track.index) breaks off\(last.map { " at \($0.clock())" } ?? ""): \(error)",
                        time: last, track: track.index))
                return false
            }
        }
    }

    private func tell(_ cause: String, at time: Time?, _ diagnostics: Diagnostics) {
        diagnostics.warn(ofRead: Damage(cause, at: time).warning(track: track.index))
    }

    private func time(_ ticks: Int64?) -> Time? {
        ticks.map { track.timebase.time(ofTicks: $0) - origin }
    }

    /// Reads all that is left of the track, as long as somebody receives it.
    func readAll(into handoff: BoundedQueue<Packet>, _ diagnostics: Diagnostics) throws(MediaError) {
        while true {
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            guard read(into: packet, diagnostics), handoff.send(packet) else { return }
        }
    }
}

/// How far back to look for a place to begin, in turn; after the last, the beginning.
enum LookBack {
    /// Seconds. The first suits containers with an index; the others are for those that lead astray, and for streams
    /// that can be decoded only from further back (gradual refresh, leading pictures).
    static let pictures: [Time] = [
        .zero, Time(2, 1), Time(5, 1), Time(12, 1), Time(30, 1), Time(90, 1), .positiveInfinity,
    ]
    /// Sound needs a little run-up: the transform's overlap, MP3's bit reservoir, Opus' 80 ms; and enough timestamps to
    /// see through a container's rounding.
    static let sound: [Time] = [Time(1, 2), Time(2, 1), Time(10, 1), .positiveInfinity]
}
