// Is a finished output what its result says? Opens it as a stranger would: tracks, durations, and the first and last
// frame of each decode (where a track is stored, and was decoded before or has no decoder here: can be read). Run in a
// fresh worker before an export is called completed.
public import Libav
public import Media
internal import MediaTime

/// The check of a finished output.
public struct Verification: Sendable {
    private let output: SourceFile
    private let result: ExportResult
    private let strict: Bool

    /// A check of an output against the result that describes it.
    /// - Parameter strict: all that was taken over is decoded, not only a sample of it, and what does not decode is an error.
    public init(_ output: SourceFile, _ result: ExportResult, strict: Bool = false) {
        self.output = output
        self.result = result
        self.strict = strict
    }

    /// Throws where the output is not what the result says.
    /// - Returns: what of the samples that were taken over does not decode: they are as the source has them.
    @discardableResult
    public func run() throws(MediaError) -> [Warning] {
        let asset = try Probe.asset(of: output)
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
        for (track, expected) in zip(media, made) {
            let length = expected.length
            let isMovie = FileType(rawValue: result.fileType)?.hasEditLists ?? true
            // The movie's own 0 counts, also where its only track begins later.
            let end = asset.start + (track.start ?? .zero) + (track.duration ?? .zero)
            // The last packet of sound may be declared whole by the muxer's track header; pictures have no such slack.
            let slack = track.kind == .audio || !isMovie ? Time(1, 5) : Time(1, 50)
            if isMovie {
                guard (end - length).absoluteValue <= slack else {
                    throw wrong("track \(track.index) is \(end) s long, not \(length)")
                }
            } else {
                try checkEnd(track, asset, expected, slack)
            }
            // What no decoder of ours may open can be stored all the same: whether it decodes is its source's matter. Copied
            // and joined pictures were decoded at both ends, and compared with the source's, when the file was complete.
            // Of sound shorter than a packet or two, decoders may give nothing: all of it is priming to them.
            let isShort = track.kind == .audio && length < Verification.shortest
            if isShort || (expected.way != .encode && track.kind == .video) || !track.isDecodable {
                try readEnds(track, asset)
            } else {
                // The last packet of these may be trimd's own.
                let isStored = expected.way == .copy && !track.audioCodec.canShorten
                try decodeEnds(track, asset, isStored: isStored, diagnostics)
            }
        }
        let stored = zip(media, made).filter { $1.way != .encode }
        try StoredCheck(
            output: output, zero: FileType(rawValue: result.fileType)?.zero ?? .zero,
            tracks: stored.map { StoredCheck.Stored(track: $0, result: $1) }, isThorough: strict,
            diagnostics: diagnostics
        ).run()
        return diagnostics.warnings
    }

    /// Sound that is shorter is not decoded.
    private static let shortest = Time(1, 20)

    /// Ticks of containers that have one time base for all are at most this long.
    private static let tick = Time(1, 1000)

    /// Throws where a track does not end where it should, in a container that does not say so, or not exactly: its last
    /// picture begins when it should; the last packet of sound begins before the end, and does not end before it. How long
    /// that packet is, readers guess.
    private func checkEnd(
        _ track: Track, _ asset: Asset, _ expected: TrackResult, _ slack: Time
    ) throws(MediaError) {
        let length = expected.length
        guard let last = MediaEnd.last(of: track, asset, output) else {
            let end = (track.start ?? .zero) + (track.duration ?? asset.duration ?? .zero)
            guard (end - length).absoluteValue <= slack else {
                throw wrong("track \(track.index) is \(end) s long, not \(length)")
            }
            return
        }
        if let lastFrame = expected.lastPicture {
            let begin = last.begin + asset.start - (FileType(rawValue: result.fileType)?.zero ?? .zero)
            guard (begin - lastFrame).absoluteValue <= Verification.tick else {
                throw wrong("the last frame of track \(track.index) begins at \(begin), not \(lastFrame)")
            }
            return
        }
        guard last.begin <= length + slack, last.end + slack >= length else {
            throw wrong("track \(track.index) ends between \(last.begin) and \(last.end), not at \(length)")
        }
    }

    /// Reads the first sample of a track, and all of its last half second.
    private func readEnds(_ track: Track, _ asset: Asset) throws(MediaError) {
        let end = MediaEnd.of(track, asset, output) ?? (track.start ?? .zero) + (asset.duration ?? .zero)
        for (time, name) in [(Time.zero, "first"), (end - Time(1, 2), "last")] {
            let reader = try TrackReader.open(
                output, track: track, origin: asset.start, at: time, back: .zero)
            let diagnostics = Diagnostics()
            let packet = try Export.media(.outOfMemory, track: track.index) { () throws(LibavError) in
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

    /// Seconds before a track's end of which every picture is decoded.
    private static let tail = Time(1, 2)

    /// Decodes the first frame of a track, and everything from the last keyframe on.
    /// - Parameter isStored: its samples are the source's; what of them is damaged was damaged there, and is noted.
    private func decodeEnds(
        _ track: Track, _ asset: Asset, isStored: Bool, _ diagnostics: Diagnostics
    ) throws(MediaError) {
        let tolerant = isStored ? diagnostics : nil
        let first = try frames(track, asset, at: .zero, back: .zero, limit: 1, tolerant)
        guard first.count > 0 else { throw wrong("the first frame of track \(track.index) does not decode") }
        let end = MediaEnd.of(track, asset, output) ?? (track.start ?? .zero) + (asset.duration ?? .zero)
        // A transport stream has no index: asked for a place, it may give one between sync samples.
        var last: Time?
        for back in LookBack.video where last == nil {
            last = try frames(track, asset, at: end - Time(1, 2), back: back, limit: .max, tolerant).last
        }
        guard let time = last else {
            throw wrong("the last frame of track \(track.index) does not decode")
        }
        guard end - time < Time(10, 1) || track.kind == .video else {
            throw wrong("track \(track.index) decodes only up to \(time)")
        }
    }

    private func frames(
        _ track: Track, _ asset: Asset, at time: Time, back: Time, limit: Int, _ tolerant: Diagnostics?
    ) throws(MediaError) -> (count: Int, last: Time?) {
        let reader = try TrackReader.open(output, track: track, origin: asset.start, at: time, back: back)
        return try Export.media(.verificationFailed, track: track.index) { () throws(LibavError) in
            let decoder = try Decoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 0,
                x264Build: track.video?.x264Build)
            var clock = FrameClock(track: track, origin: asset.start, rate: track.video?.frameRate)
            var count = 0
            var last: Time?
            let packet = try Packet()
            while true {
                let isPacket = reader.read(into: packet, Diagnostics())
                // Of what lies before the end only what others need.
                decoder.skipsUnreferenced =
                    isPacket && limit > 1
                    && packet.pts.map {
                        track.timebase.time(ofTicks: $0) - asset.start + Verification.tail < time
                    } ?? false
                let packetTime =
                    isPacket ? packet.pts.map { track.timebase.time(ofTicks: $0) - asset.start } : nil
                /// Damage is an error, or where it is tolerated noted.
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
                        count += 1
                        last = clock.time(of: frame).0
                        if count >= limit { return (count, last) }
                    case .needsInput, .ended: break receiving
                    case .damaged(let error): try handle(error)
                    }
                }
                if !isPacket { return (count, last) }
            }
        }
    }

    private func wrong(_ why: String) -> MediaError {
        MediaError(
            .verificationFailed, "the output was written, and checking it failed: \(why)",
            remedy: "this is a fault of trimd; the output was removed")
    }
}
