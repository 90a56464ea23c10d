// A piece of a joined source as its media are: its tracks, their parameters, and when each begins and ends by its own timestamps.
// Of a long piece only the first and the last segments are read, so that a film of hours costs little. Decodes nothing. Runs on the
// caller's thread.
//
// `unsafe` here: FFmpeg's structures.
internal import CFFmpeg
internal import MediaTime

/// A track of a piece.
struct MeasuredTrack {
    /// Its number in the piece.
    let index: Int
    let parameters: CodecParameters
    let timebase: Timebase
    /// As its container says it; nil: it says none.
    let language: String?
    /// It is the picture of a cover.
    let isPicture: Bool
    /// The first moment that is shown, and the end of the last, in ticks of its own; nil: nothing is in it.
    var first: Int64?, end: Int64?
    /// When the frame that is shown first is decoded, and when the one that is shown last begins to be shown.
    var firstDecoded: Int64?, lastShown: Int64?
    private var hasBegun = false
    /// When the first keyframe is shown, and the last that was read.
    private var firstKey: Int64?, lastKey: Int64?
    /// The keyframe behind which leading pictures are left out, since nothing is before it that they refer to; nil: there are none.
    private(set) var bareKey: Int64?

    var kind: AVMediaType { unsafe parameters.pointer.pointee.codec_type }
    var codec: AVCodecID { unsafe parameters.pointer.pointee.codec_id }
    /// Its times count for the place of its piece.
    var isTimed: Bool { (kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO) && !isPicture }

    init(
        index: Int, parameters: CodecParameters, timebase: Timebase, language: String?, isPicture: Bool
    ) {
        (self.index, self.parameters, self.timebase) = (index, parameters, timebase)
        (self.language, self.isPicture) = (language, isPicture)
    }

    /// Takes the time of a packet.
    /// - Parameter usual: the duration of a packet that does not say it, in ticks.
    fileprivate mutating func take(_ packet: Packet, usual: Int64) {
        guard !packet.isDiscarded, let pts = packet.pts else { return }
        if packet.isKey {
            firstKey = firstKey ?? pts
            lastKey = pts
        } else if let firstKey, lastKey == firstKey, packet.isSkippedLeading(parameters) {
            bareKey = firstKey
            return
        }
        let rate = unsafe Int64(parameters.pointer.pointee.sample_rate)
        var begin = pts
        if kind == AVMEDIA_TYPE_AUDIO, packet.skippedSamples > 0, rate > 0 {
            let skipped = Timebase(perSecond: Int(rate))?.rescale(Int64(packet.skippedSamples), to: timebase)
            begin = pts &+ (skipped ?? 0)
        }
        let end = pts &+ (packet.duration > 0 ? packet.duration : usual)
        // The first packet of Vorbis gives no samples (Vorbis I, 4.3.8).
        if codec == AV_CODEC_ID_VORBIS, !hasBegun { begin = end }
        hasBegun = true
        guard begin <= end else { return }
        if begin < first ?? .max { (first, firstDecoded) = (begin, packet.dts) }
        lastShown = max(lastShown ?? pts, pts)
        self.end = max(self.end ?? end, end)
    }
}

/// A piece of a joined source.
struct MeasuredPiece {
    var tracks: [MeasuredTrack] = []
    /// The time after which timestamps begin anew; nil: never.
    var wrap: Time?

    /// Nothing in it is shown.
    var isEmpty: Bool { !tracks.contains { $0.isTimed && $0.first != nil } }

    /// Segments read at most to find a track that is in few of them.
    private static let most = 64
    /// Pieces of up to this many segments are read completely.
    private static let few = 3

    /// Measures a film of its own by its beginning.
    /// - Parameters:
    ///   - demuxer: has opened it, and has not read it.
    ///   - ends: when its tracks end, by its own timestamps.
    init(_ demuxer: Demuxer, ends: [Int: Time]) throws(LibavError) {
        try self.init(of: demuxer)
        repeat {
            guard try take(demuxer, demuxer, upTo: MeasuredPiece.beginning) else { break }
        } while !isComplete(\.first)
        for index in tracks.indices {
            let end = ends[tracks[index].index].map {
                tracks[index].timebase.ticks(of: $0, rounding: .halfAwayFromZero).ticks
            }
            // The last packets hold more than is heard.
            tracks[index].end = end ?? tracks[index].end
        }
    }

    /// Packets from the beginning among which are those that are shown first.
    private static let beginning = 600

    /// Measures a run of segments.
    /// - Parameters:
    ///   - demuxer: has opened it, and has not read it.
    ///   - source: makes a source of some of its segments.
    init(
        _ demuxer: Demuxer, segments: Int, _ source: (Range<Int>) -> SourceFile
    ) throws(LibavError) {
        try self.init(of: demuxer)
        guard segments > MeasuredPiece.few else {
            try take(demuxer, demuxer)
            return
        }
        var count = 1
        while true {
            try read(source(0..<count), demuxer)
            if isComplete(\.first) || count >= min(segments, MeasuredPiece.most) { break }
            count = min(segments, count * 2)
        }
        let firsts = tracks.map { ($0.first, $0.firstDecoded) }
        for index in tracks.indices { (tracks[index].end, tracks[index].lastShown) = (nil, nil) }
        count = 1
        while true {
            try read(source(segments - count..<segments), demuxer)
            if isComplete(\.end) || count >= min(segments, MeasuredPiece.most) { break }
            count = min(segments, count * 2)
        }
        for index in tracks.indices {
            (tracks[index].first, tracks[index].firstDecoded) = firsts[index]
            guard let first = tracks[index].first, let end = tracks[index].end else { continue }
            // The last segment may come after a wrap.
            guard let wrap, end < first else { continue }
            let period = tracks[index].timebase.ticks(of: wrap, rounding: .towardZero).ticks
            let unwrapped = first + ((end - first) % period + period) % period
            tracks[index].lastShown = tracks[index].lastShown.map { $0 + unwrapped - end }
            tracks[index].end = unwrapped
        }
    }

    /// The tracks of a container, not measured yet.
    private init(of demuxer: Demuxer) throws(LibavError) {
        for index in 0..<demuxer.trackCount {
            guard let stream = unsafe demuxer.stream(index) else { continue }
            let base = unsafe stream.pointee.time_base
            guard let timebase = Timebase(numerator: base.num, denominator: base.den) else { continue }
            if unsafe stream.pointee.pts_wrap_bits < 63 {
                wrap = timebase.time(ofTicks: 1 << Int64(unsafe stream.pointee.pts_wrap_bits))
            }
            tracks.append(
                MeasuredTrack(
                    index: index, parameters: try CodecParameters(demuxer, track: index), timebase: timebase,
                    language: demuxer.language(of: index),
                    isPicture: unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0))
        }
    }

    private func isComplete(_ time: KeyPath<MeasuredTrack, Int64?>) -> Bool {
        tracks.allSatisfy { !$0.isTimed || $0[keyPath: time] != nil }
    }

    /// Reads some of its segments.
    private mutating func read(_ source: SourceFile, _ whole: Demuxer) throws(LibavError) {
        let demuxer: Demuxer
        do throws(OpenFailure) { demuxer = try Demuxer(source) } catch {
            // A segment alone may have nothing that is recognised.
            return
        }
        try take(demuxer, whole)
    }

    /// Takes the times of the packets that come.
    /// - Parameter most: so many of them.
    /// - Returns: whether there may be more.
    @discardableResult
    private mutating func take(
        _ demuxer: Demuxer, _ whole: Demuxer, upTo most: Int = .max
    ) throws(LibavError) -> Bool {
        let packet = try Packet()
        let usual = tracks.map { MeasuredPiece.frame(of: $0, whole) }
        var count = 0
        while count < most, case .packet = demuxer.read(into: packet) {
            count += 1
            guard let index = index(of: packet.track, in: demuxer, whole) else { continue }
            tracks[index].take(packet, usual: usual[index])
        }
        return count == most
    }

    /// The track of the piece that a track of some of its segments is.
    private func index(of track: Int, in demuxer: Demuxer, _ whole: Demuxer) -> Int? {
        guard demuxer !== whole else { return tracks.firstIndex { $0.index == track } }
        guard let id = unsafe demuxer.stream(track)?.pointee.id else { return nil }
        return tracks.firstIndex { unsafe whole.stream($0.index)?.pointee.id == id }
    }

    /// The duration of a frame in ticks, where packets do not say it.
    private static func frame(of track: MeasuredTrack, _ demuxer: Demuxer) -> Int64 {
        guard let stream = unsafe demuxer.stream(track.index) else { return 0 }
        let rates = unsafe [stream.pointee.avg_frame_rate, stream.pointee.r_frame_rate]
        guard let rate = rates.first(where: { $0.num > 0 && $0.den > 0 }) else { return 0 }
        return av_rescale_q(
            1, AVRational(num: rate.den, den: rate.num),
            AVRational(num: track.timebase.numerator, den: track.timebase.denominator))
    }
}
