// Reads one track from the position that an in point needs, and decodes it. Each lane has its own reader and demuxer, so that no
// track waits for another and badly interleaved files need no memory. First used on the decoding queue, which finds the position;
// reading then continues on another queue, and the two share nothing.
internal import Codecs
package import Libav
package import Media
package import MediaTime

/// One track, opened at the last position from which everything shown from the in point on can be decoded.
package final class TrackReader {
    private let source: SourceFile
    private let samples: SampleReader
    package let track: Track
    /// The container stayed at its beginning: nothing was skipped.
    package let isFromBeginning: Bool
    /// VP9 frames that are not shown may be in separate packets. They are joined with the next shown frame, as in other files:
    /// one packet is one frame.
    private let joiner: BitstreamFilter?
    private let origin: Time
    /// When the last sample before the truncation of the file ends; the beginning where there was none.
    package private(set) var broken: Time?
    private var last: Time?

    /// The container, for its metadata; samples are read through `samples`.
    package var demuxer: Demuxer { samples.demuxer }

    /// Whether reading looks at the bytes of samples.
    package var looksAtSamples: Bool { joiner != nil || samples.looks(at: track.index) }

    private init(
        _ source: SourceFile, _ samples: SampleReader, _ track: Track, origin: Time, isFromBeginning: Bool
    ) {
        self.source = source
        self.samples = samples
        self.origin = origin
        self.track = track
        self.isFromBeginning = isFromBeginning
        joiner =
            track.videoCodec.joiner.flatMap { filter in
                (try? CodecParameters(samples.demuxer, track: track.index)).flatMap {
                    try? BitstreamFilter(filter, $0)
                }
            }
    }

    /// Opens a track at or before a time.
    /// - Parameters:
    ///   - back: how far before the time to seek.
    ///   - time: asset time; nil or early: the beginning.
    ///   - staysInFilm: of several films one after the other, read the one that the time is in, and not the next.
    package static func open(
        _ source: SourceFile, track: Track, origin: Time, at time: Time, back: Time,
        quick: Bool = true, staysInFilm: Bool = false
    ) throws(MediaError) -> TrackReader {
        do throws(OpenFailure) {
            let samples = try SampleReader(source, quick: quick)
            samples.select(track: track.index)
            let wanted = time - back
            let film = source.joined?.films?.film(at: time + origin)
            if staysInFilm, let film { samples.endWithFilm(film.number) }
            if let film, film.number > 0, wanted + origin <= film.begin {
                // Nothing before it belongs to it.
                samples.goToFilm(film.number)
                return TrackReader(source, samples, track, origin: origin, isFromBeginning: true)
            }
            let first = max(track.start ?? .zero, .zero)
            guard wanted > first else {
                return TrackReader(source, samples, track, origin: origin, isFromBeginning: true)
            }
            let ticks = track.timebase.ticks(of: wanted + origin, rounding: .towardNegativeInfinity).ticks
            if samples.seek(track: track.index, toTicks: ticks) {
                return TrackReader(source, samples, track, origin: origin, isFromBeginning: false)
            }
            // Where seeking failed, a new demuxer reads from the beginning.
            let fresh = try SampleReader(source, quick: quick)
            fresh.select(track: track.index)
            if staysInFilm, let film { fresh.endWithFilm(film.number) }
            return TrackReader(source, fresh, track, origin: origin, isFromBeginning: true)
        } catch { throw MediaError(error, source: source) }
    }

    /// The codec parameters for a container that copies the packets: this demuxer has not probed enough of a track that begins
    /// late.
    package func parameters() throws(LibavError) -> CodecParameters {
        guard demuxer.unknownTracks.contains(track.index), let deep = try? Demuxer(source, deep: true) else {
            return try CodecParameters(demuxer, track: track.index)
        }
        return try CodecParameters(deep, track: track.index)
    }

    /// Reads the track's next packet; false at the end. A truncated container ends there and is recorded as broken.
    package func read(into packet: Packet, _ diagnostics: Diagnostics) -> Bool {
        guard let joiner else { return readStored(into: packet, diagnostics) }
        while readStored(into: packet, diagnostics) {
            if packet.isForeign { return true }
            // Invalid VP9 is left to the decoder.
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
                report(
                    "the container has errors, and samples may be missing", at: last ?? time(packet.pts),
                    diagnostics)
            }
            switch read {
            case .packet:
                guard packet.track == track.index else { continue }
                if packet.isCorrupt {
                    report("a sample is not whole", at: time(packet.pts) ?? last, diagnostics)
                }
                // A frame that is decoded from missing ones is damaged, wherever these were; a keyframe is not.
                if demuxer.errors > errors, track.kind == .video, !packet.isKey { packet.markCorrupt() }
                if let pts = packet.pts {
                    last = track.timebase.time(ofTicks: pts + packet.duration) - origin
                }
                return true
            case .ended: return false
            case .broken(let error):
                broken = last ?? .zero
                diagnostics.warn(
                    ofRead: Warning(
                        .truncated,
                        "track \(track.index) breaks off\(last.map { " at \($0.clock())" } ?? ""): \(error)",
                        time: last, track: track.index))
                return false
            }
        }
    }

    private func report(_ cause: String, at time: Time?, _ diagnostics: Diagnostics) {
        diagnostics.warn(ofRead: Damage(cause, at: time).warning(track: track.index))
    }

    private func time(_ ticks: Int64?) -> Time? {
        ticks.map { track.timebase.time(ofTicks: $0) - origin }
    }

    /// Reads the rest of the track while there is a receiver.
    package func readAll(into queue: BoundedQueue<Packet, MediaError>, _ diagnostics: Diagnostics)
        throws(MediaError)
    {
        while true {
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            guard read(into: packet, diagnostics), queue.send(packet) else { return }
        }
    }
}

extension TrackReader {
    /// The parameters of a decoder of an audio track that begins at the reader's position: the samples that the header says to skip are
    /// those of the track's beginning, and FFmpeg's decoder of Opus skips as many wherever it begins.
    package func decoderParameters() throws(LibavError) -> CodecParameters {
        let parameters = try CodecParameters(demuxer, track: track.index)
        guard !isFromBeginning, let header = track.audioCodec.header(parameters.extradata, skipping: 0) else {
            return parameters
        }
        return try CodecParameters(parameters, extradata: header, tag: nil)
    }

    /// How far the times of audio may be off, in seconds: where its frames go on in the next packet, up to one, of 2048 samples from 22 kHz
    /// on.
    package var timeTolerance: Double {
        demuxer.hasBitReservoir(track.index) ? 0.1 : SampleClock.tolerance
    }
}

/// How far back to search for a start position, in turn; the last is the beginning.
package enum LookBack {
    /// Seconds. The first suits containers with an index; the others are for wrong indexes, and for streams that decode only from
    /// further back (gradual refresh, leading pictures).
    package static let video: [Time] = [
        .zero, Time(2, 1), Time(5, 1), Time(12, 1), Time(30, 1), Time(90, 1), .positiveInfinity,
    ]
    /// Audio needs a short preroll: the overlap of the transform, MP3's bit reservoir, Opus' 80 ms; and enough timestamps to
    /// correct a container's rounding.
    package static let audio: [Time] = [Time(1, 2), Time(2, 1), Time(10, 1), .positiveInfinity]

    /// How far back where samples are to be exact. Where a tick is longer than a sample, as in Matroska and FLV, each timestamp
    /// leaves the position open by a tick; those of some hundred packets, rounded differently, leave less than a sample. The
    /// first timestamp of a file counts as it is, and is not read where others can be.
    package static func audio(_ track: Track, before start: Time) -> [Time] {
        let rate = Int64(track.audio?.sampleRate ?? 48_000)
        guard track.timebase.time(ofTicks: rate) > Time(1, 1) else { return audio }
        let room = start - max(track.start ?? .zero, .zero)
        guard let far = [Time(10, 1), Time(5, 1), Time(5, 2), Time(5, 4)].first(where: { $0 < room }) else {
            return audio
        }
        return [far] + audio.filter { $0 > far }
    }
}
