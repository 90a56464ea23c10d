// Checks that a finished output is what its result says, from the file alone: its tracks and durations, and that the first and last
// frame of each track decode. Copied tracks that were compared before, or that have no decoder here, need only be readable. Runs in
// a fresh worker before the export counts as completed.
internal import Codecs
public import Libav
public import Media
internal import MediaTime
internal import Source

/// The check of a finished output.
public struct Verification: Sendable {
    private let output: SourceFile
    private let result: ExportResult
    private let strict: Bool
    private let shared: SharedBytes

    /// A check of an output against the result that describes it.
    /// - Parameters:
    ///   - strict: decodes all copied samples, not only a subset, and treats damage as an error.
    ///   - shared: the blocks of its source that the output was given, in order: little of them is read, unless `strict`.
    public init(
        _ output: SourceFile, _ result: ExportResult, strict: Bool = false, shared: [ClonedRange] = []
    ) {
        self.shared = SharedBytes(shared)
        self.output = output
        self.result = result
        self.strict = strict
    }

    /// Throws if the output is not what the result says.
    /// - Returns: warnings of copied samples that do not decode; they are unchanged from the source.
    @discardableResult
    public func run() throws(MediaError) -> [Warning] {
        // A movie's headers say all that is checked here; other containers leave out durations.
        let isISOMedia = FileType(rawValue: result.fileType)?.isISOMedia ?? false
        let asset = try Probe.asset(of: output, trustsHeaders: isISOMedia)
        let media = asset.tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        let made = result.tracks.filter { $0.kind == .video || $0.kind == .audio }
        func name(_ codec: String) -> String { AudioCodecs.named(codec).movieName ?? codec }
        guard media.map(\.kind) == made.map(\.kind),
            media.map({ name($0.codec) }) == made.map({ name($0.codec) })
        else {
            throw wrong("it has the tracks \(media.map(\.codec)), not \(made.map(\.codec))")
        }
        let texts = asset.tracks.filter { $0.kind == .subtitle }.map(\.codec)
        let wanted = result.tracks.filter { $0.kind == .subtitle }.map(\.codec)
        guard texts == wanted else { throw wrong("it has the subtitles \(texts), not \(wanted)") }
        let diagnostics = Diagnostics()
        for (track, expected) in zip(media, made) { try checkLength(track, asset, expected) }
        let stored = zip(media, made).filter { $1.way != .encode }
        let decoded = try StoredCheck(
            output: output, zero: FileType(rawValue: result.fileType)?.zero ?? .zero,
            tracks: stored.map { StoredCheck.Stored(track: $0, result: $1) }, isThorough: strict,
            shared: shared, diagnostics: diagnostics
        ).run()
        for (track, expected) in zip(media, made) {
            // A track without a decoder here can be stored nevertheless. Copied and joined video was decoded at both ends and
            // compared with the source when the file was complete. Of audio shorter than a packet or two, decoders may return
            // nothing, since they take all of it for priming.
            let isShort = track.kind == .audio && expected.length < Verification.shortest
            if isShort || (expected.way != .encode && track.kind == .video) || !track.isDecodable {
                try readEnds(track, asset)
            } else if let last = decoded[track.index] {
                // All of it was decoded, so both ends were.
                try checkLast(
                    track.timebase.time(ofTicks: last) - asset.start, of: track, asset, isStored: true)
            } else {
                // trimd may have encoded the last packet of these.
                let isStored = expected.way == .copy && !track.audioCodec.canShorten
                try decodeEnds(track, asset, expected, isStored: isStored, diagnostics)
            }
        }
        return diagnostics.warnings
    }

    /// Throws if a track is not as long as its result says.
    private func checkLength(_ track: Track, _ asset: Asset, _ expected: TrackResult) throws(MediaError) {
        let length = end(of: expected)
        let isISOMedia = FileType(rawValue: result.fileType)?.isISOMedia ?? true
        // The muxer's track header may declare the last audio packet whole; video has no such slack.
        let slack = track.kind == .audio || !isISOMedia ? Time(1, 5) : Time(1, 50)
        guard isISOMedia else { return try checkEnd(track, asset, expected, slack) }
        // Times count from the movie's own 0, even if its only track begins later.
        let end = asset.start + (track.start ?? .zero) + (track.duration ?? .zero)
        guard (end - length).absoluteValue <= slack else {
            throw wrong("track \(track.index) is \(end) s long, not \(length)")
        }
    }

    /// Where a track of the output ends: one that begins late ends as much later.
    private func end(of expected: TrackResult) -> Time {
        let type = FileType(rawValue: result.fileType)
        guard expected.ranges == nil, type?.hasAudioTimes != false, type?.holdsOneTrack != true else {
            return expected.length
        }
        let late = expected.actual.start - result.actual.start
        return expected.length + late.played(at: expected.speed ?? Ratio(1))
    }

    /// Shorter audio is not decoded.
    private static let shortest = Time(1, 20)

    /// Decoding begins at the last sync sample that is not later than this before a track's end.
    private static let tail = Time(1, 2)
    /// The time before a track's end in which every frame is decoded.
    private static let fullyDecoded = Time(1, 10)

    /// The frames that were decoded.
    private struct Decoded {
        var count = 0
        /// The time of the first packet.
        var begin: Time?
        /// The beginning of the last frame; of audio its end, since a packet may last for seconds.
        var last: Time?
    }

    /// The longest tick of a container with one timebase for all tracks, except where its own is longer.
    private static let tick = Time(1, 1000)

    /// Throws if a track does not end where it should, in a container that does not store its end exactly: the last frame must
    /// begin at its time; the last audio packet must begin before the end, and not end before it. Readers guess that packet's
    /// duration.
    private func checkEnd(
        _ track: Track, _ asset: Asset, _ expected: TrackResult, _ slack: Time
    ) throws(MediaError) {
        let length = end(of: expected)
        guard let last = MediaEnd.last(of: track, asset, output) else {
            let end = (track.start ?? .zero) + (track.duration ?? asset.duration ?? .zero)
            guard (end - length).absoluteValue <= slack else {
                throw wrong("track \(track.index) is \(end) s long, not \(length)")
            }
            return
        }
        if let lastFrame = expected.lastPicture {
            let begin = last.begin + asset.start - (FileType(rawValue: result.fileType)?.zero ?? .zero)
            let own = FileType(rawValue: result.fileType)?.fixedTimebase?.time(ofTicks: 1)
            guard (begin - lastFrame).absoluteValue <= max(own ?? .zero, Verification.tick) else {
                throw wrong("the last frame of track \(track.index) begins at \(begin), not \(lastFrame)")
            }
            return
        }
        // Where all tracks begin late, the output's first one is not at its 0.
        let late =
            length == expected.length
            ? .zero : asset.start - (FileType(rawValue: result.fileType)?.zero ?? .zero)
        let (from, to) = (last.begin + late, last.end + late)
        // Copied audio ends with the packet whose end is nearest.
        let nearest = max(slack, to - from)
        guard from <= length + nearest, to + nearest >= length else {
            throw wrong("track \(track.index) ends between \(from) and \(to), not at \(length)")
        }
    }

    /// Reads the first sample of a track, and all of its last half second.
    private func readEnds(_ track: Track, _ asset: Asset) throws(MediaError) {
        let end = end(of: track, asset)
        for (time, name) in [(Time.zero, "first"), (end - Time(1, 2), "last")] {
            let reader = try TrackReader.open(
                output, track: track, origin: asset.start, at: time, back: .zero)
            let diagnostics = Diagnostics()
            let packet = try Source.media(.outOfMemory, track: track.index) { () throws(LibavError) in
                try Packet()
            }
            var count = 0
            while reader.read(into: packet, diagnostics) {
                count += 1
                if name == "first" { break }
            }
            guard count > 0, diagnostics.warnings.isEmpty else {
                throw wrong("the \(name) sample of track \(track.index) is not there")
            }
        }
    }

    /// Decodes the first frame of a track, and from the last sync sample on what the last frames need.
    /// - Parameter isStored: the samples are the source's; damage in them gives a warning.
    private func decodeEnds(
        _ track: Track, _ asset: Asset, _ expected: TrackResult, isStored: Bool, _ diagnostics: Diagnostics
    ) throws(MediaError) {
        let tolerant = isStored ? diagnostics : nil
        var ending: Decoded?
        if !isStored, track.kind == .video {
            let found = try lastFrames(track, asset, expected.lastPicture, tolerant)
            // Of a single GOP, its first frame was decoded too.
            if found.last != nil, let begin = found.begin, begin <= track.start ?? .zero { return }
            ending = found
        }
        let first = try frames(track, asset, at: .zero, back: .zero, limit: 1, tolerant)
        guard first.count > 0 else {
            guard isStored else { throw wrong("the first frame of track \(track.index) does not decode") }
            // The samples are the source's.
            throw MediaError(
                .undecodableMediaData, "nothing of the \(track.kind.rawValue) in the range decodes",
                track: result.tracks.first { $0.index == track.index }?.source,
                remedy: "choose another range; `trimctl probe` shows what the file holds")
        }
        if ending == nil { ending = try lastFrames(track, asset, expected.lastPicture, tolerant) }
        guard let time = ending?.last else {
            throw wrong("the last frame of track \(track.index) does not decode")
        }
        try checkLast(time, of: track, asset, isStored: isStored)
    }

    /// Decodes the last frames of a track, from the last sync sample on.
    private func lastFrames(
        _ track: Track, _ asset: Asset, _ lastPicture: Time?, _ tolerant: Diagnostics?
    ) throws(MediaError) -> Decoded {
        let end = end(of: track, asset)
        // Frames may last longer than usual: of the last one, the result says when it begins.
        let length = track.video?.usualLength ?? Verification.tail
        let zero = FileType(rawValue: result.fileType)?.zero ?? .zero
        let needed = [
            end - length.multiplied(by: 2, over: 1), end - Verification.fullyDecoded,
            lastPicture.map { $0 + zero - asset.start },
        ].compactMap(\.self).min()
        var found = Decoded()
        // A transport stream has no index: a seek may end between sync samples.
        for back in LookBack.video where found.last == nil {
            found = try frames(
                track, asset, at: end - Verification.tail, back: back, needed: needed, tolerant)
        }
        return found
    }

    /// Throws if what decodes ends long before the end of its track: of audio that was encoded, more than a second; of copied audio more
    /// than may be damaged or left out there.
    private func checkLast(
        _ time: Time, of track: Track, _ asset: Asset, isStored: Bool
    ) throws(MediaError) {
        let most = isStored ? Time(10, 1) : Time(1, 1)
        guard end(of: track, asset) - time < most || track.kind == .video else {
            throw wrong("track \(track.index) decodes only up to \(time)")
        }
    }

    /// Where a track ends, in asset time.
    private func end(of track: Track, _ asset: Asset) -> Time {
        MediaEnd.of(track, asset, output) ?? (track.start ?? .zero) + (asset.duration ?? .zero)
    }

    /// Decodes frames of a track from the last position from which those at a time decode, less `back`.
    /// - Parameters:
    ///   - limit: so many frames at most.
    ///   - needed: before this, only frames that others refer to are decoded; nil: all are.
    private func frames(
        _ track: Track, _ asset: Asset, at time: Time, back: Time, limit: Int = .max,
        needed: Time? = nil, _ tolerant: Diagnostics?
    ) throws(MediaError) -> Decoded {
        let reader = try TrackReader.open(output, track: track, origin: asset.start, at: time, back: back)
        return try Source.media(.verificationFailed, track: track.index) { () throws(LibavError) in
            let decoder = try Decoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase,
                // The first frame comes no sooner from more threads, and they start more slowly than audio decodes.
                threads: limit == 1 || track.kind == .audio ? 1 : Decoder.processors,
                x264Build: track.video?.x264Build)
            decoder.skipsLoopFilter = true
            var clock = FrameClock(track: track, origin: asset.start)
            var found = Decoded()
            let packet = try Packet()
            while true {
                let isPacket = reader.read(into: packet, Diagnostics())
                let packetTime =
                    isPacket ? packet.pts.map { track.timebase.time(ofTicks: $0) - asset.start } : nil
                found.begin = found.begin ?? packetTime
                decoder.skipsUnreferenced =
                    packetTime.flatMap { time in needed.map { time < $0 } } ?? false
                /// Damage is an error, or a warning where it is tolerated.
                func handle(_ error: LibavError) throws(LibavError) {
                    guard let tolerant else { throw error }
                    tolerant.warn(
                        Warning(
                            .damagedMedia,
                            "a sample does not decode; copied unchanged from the source",
                            time: packetTime, track: track.index))
                }
                if case .damaged(let error) = try decoder.send(isPacket ? packet : nil) { try handle(error) }
                receiving: while true {
                    let frame = try Frame()
                    switch try decoder.receive(into: frame) {
                    case .frame:
                        if frame.isDamaged {
                            try handle(LibavError("decoding", cause: "the frame is damaged"))
                        }
                        found.count += 1
                        let length =
                            track.kind == .audio
                            ? Time(Int64(frame.sampleCount), Int32(clamping: max(1, frame.sampleRate)))
                            : .zero
                        found.last = clock.time(of: frame).0 + length
                        if found.count >= limit { return found }
                    case .needsInput, .ended: break receiving
                    case .damaged(let error): try handle(error)
                    }
                }
                if !isPacket { return found }
            }
        }
    }

    private func wrong(_ why: String) -> MediaError {
        MediaError(
            .verificationFailed, "the output was written, and checking it failed: \(why)",
            remedy: "this is a fault of trimd; the output was removed")
    }
}
