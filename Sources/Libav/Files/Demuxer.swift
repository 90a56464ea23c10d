// Demuxes a container: from an open descriptor to the packets of its tracks. Owns its FFmpeg context and its read position, not
// the descriptor. Used on one queue at a time. Decodes nothing; opens no other file, whatever the container refers to: playlists
// and references to other files are refused.
internal import CFFmpeg
internal import Glibc

/// Why a container could not be opened.
public enum OpenFailure: Error, Hashable, Sendable {
    /// No FFmpeg format matches, or one that trimd does not accept.
    case notRecognized(format: String?)
    /// The file is a list of other files or network addresses.
    case playlist(format: String)
    /// The format is known, but reading it failed.
    case damaged(LibavError)
}

/// A container open for reading.
@safe public final class Demuxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    let io: FileIO
    private let counter = ErrorCounter()
    /// Tracks in files of their own.
    var companions = DemuxerCompanions()
    /// Reads the pieces of a joined source; nil: it is one container.
    let joined: JoinedReader?
    /// The parameters of tracks that its source gives instead of the container's.
    let forms: [Int: TrackForm]
    /// Where the order of presentation is read from, which the container may lack; nil: its times are taken as they are.
    let orderedSource: SourceFile?
    /// Times that the container lacks stay unknown: for who finds them.
    private let timesAsStored: Bool
    /// Whose times of its tracks are right, as far as somebody asked.
    var orders: [Int: CodedOrders.Finding] = [:]
    /// Filters that take B-frames out of the packets of other frames, by track (`Demuxer+Packed`).
    var unpackers: [Int: BitstreamFilter] = [:]
    /// The times that the container gave the last packets of tracks whose order it does not know.
    var lastStored: [Int: Int64] = [:]
    /// Tracks whose edit lists FFmpeg misreads, by their indices; empty for nearly all files.
    var edited: [Int: EditedTrack] = [:]
    /// The time of the last packet of the other tracks, in seconds, and whether they are read.
    var (mainTime, readsMain) = (-Double.infinity, true)
    /// How long packets of tracks last whose packets all last the same, in ticks, as far as somebody asked; 0: unknown.
    var usualIntervals: [Int: Int64] = [:]
    /// Of AAC in a transport stream, by track.
    var adtsClocks: [Int: ADTSClock] = [:]
    /// The track and place of the last seek, while packets before it are read (`Demuxer+Settling`).
    var settling: (track: Int, place: Int64)?
    /// The movie whose context this is, which another reader may have afterwards; nil: it closes with this.
    let movie: OpenedMovie?
    /// Whether another reader had the movie before.
    let isTakenOver: Bool
    /// A packet told of more than the index does: another reader would not find it as it was.
    var isUsed = false
    /// The format's short name.
    public let format: String
    /// The format's display name.
    public let formatName: String

    /// Accepted formats; FFmpeg's short names.
    private static let accepted: Set<String> = [
        "mov", "mp4", "matroska", "webm", "mpegts", "mpeg", "avi", "asf", "flv", "wav", "w64", "aiff", "au",
        "caf",
        "flac", "ogg", "mp3", "aac", "ac3", "eac3", "dts", "mxf", "gxf", "h264", "hevc", "m4v", "mpegvideo",
        "ivf",
        "yuv4mpegpipe", "nut", "mjpeg", "gif", "apng", "dv", "wv", "tta", "ape", "amr", "rm", "truehd", "mlp",
        "obu",
        "av1", "vc1",
    ]
    /// Formats of files that hold nothing but text subtitles with times in them.
    private static let subtitles: Set<String> = ["srt", "ass", "webvtt"]
    /// Formats that are lists of other files.
    private static let playlists: Set<String> = [
        "hls", "applehttp", "concat", "dash", "webm_dash_manifest", "sdp", "rtsp", "imf", "rtp", "sap",
        "xbin_list",
    ]

    /// Formats whose headers say too little without FFmpeg's stream probing. Most store only the decoding order: the first frame of
    /// a raw stream may get no time, and all others that of the frame before. IVF and MXF keep the codec's headers in the samples.
    private static let probed: Set<String> = [
        "avi", "asf", "mp3", "aac", "ac3", "eac3", "dts", "truehd", "mlp", "amr", "h264", "hevc", "m4v",
        "mpegvideo",
        "vc1", "obu", "ivf", "mxf",
    ]

    /// Opens the container and probes its streams.
    /// - Parameters:
    ///   - quick: trust the headers, where another demuxer has already probed the same source and the format allows it.
    ///   - deep: probe further for tracks that begin late. The data read for that is not returned: for queries, not for reading.
    ///   - isSubtitles: accept files of subtitles, and nothing else.
    public convenience init(
        _ source: SourceFile, quick: Bool = false, deep: Bool = false, isSubtitles: Bool = false
    ) throws(OpenFailure) {
        try self.init(
            source, quick: quick, deep: deep, isSubtitles: isSubtitles, edits: .applied)
    }

    /// - Parameters:
    ///   - timesAsStored: keep the container's times where it does not know the order of presentation.
    ///   - edits: how edit lists are read that FFmpeg misreads.
    convenience init(
        _ source: SourceFile, quick: Bool = false, deep: Bool = false, isSubtitles: Bool = false,
        timesAsStored: Bool = false, edits: Edits
    ) throws(OpenFailure) {
        if let joined = source.joined {
            try self.init(joined, source, quick: quick)
        } else {
            let lists = MisreadEdits(source)
            try self.init(
                opening: source, quick: quick, deep: deep, isSubtitles: isSubtitles,
                timesAsStored: timesAsStored, hiding: lists?.names ?? [])
            if edits == .applied { applyEdits(lists, of: source) }
        }
        try openCompanions(of: source, quick: quick, deep: deep)
    }

    /// A joined source, whose pieces are opened when they are read.
    private init(_ joined: JoinedSource, _ source: SourceFile, quick: Bool) throws(OpenFailure) {
        do throws(LibavError) {
            io = try FileIO(reading: source)
            unsafe context = try joined.template.copy()
        } catch { throw .damaged(error) }
        (format, formatName) = joined.format
        self.joined = JoinedReader(joined, quick: quick)
        forms = [:]
        (orderedSource, movie, isTakenOver, timesAsStored) = (nil, nil, false, false)
    }

    private init(
        opening source: SourceFile, quick: Bool, deep: Bool, isSubtitles: Bool, timesAsStored: Bool,
        hiding hidden: [Range<Int64>]
    ) throws(OpenFailure) {
        joined = nil
        self.timesAsStored = timesAsStored
        forms = source.forms
        let isPlain = quick && !deep && !isSubtitles && forms.isEmpty
        if isPlain, let movie = IdleMovies.shared.take(source) {
            self.movie = movie
            isTakenOver = true
            orderedSource = nil
            (unsafe context, io) = unsafe (movie.context, movie.io)
            (format, formatName) = (movie.format, movie.formatName)
            unsafe context.pointee.opaque = unsafe counter.opaque
            completeTimes(of: 0..<ownTrackCount)
            return
        }
        isTakenOver = false
        do throws(LibavError) {
            io = try FileIO(reading: source)
        } catch { throw .damaged(error) }
        if !hidden.isEmpty { io.omit(hidden) }

        guard let input = FormatDetection.shared.format(of: source, io) else {
            throw .notRecognized(format: nil)
        }
        let names = input.name
        let all = Set(names.split(separator: ",").map(String.init))
        guard all.isDisjoint(with: Demuxer.playlists) else { throw .playlist(format: names) }
        // Subtitles alone are no film, but they may belong to one.
        let isCompanion = source.contents != nil && names == "webvtt"
        guard isCompanion || !all.isDisjoint(with: isSubtitles ? Demuxer.subtitles : Demuxer.accepted) else {
            throw .notRecognized(format: names)
        }
        format = names
        orderedSource = timesAsStored || !CodedOrders.mayDiffer(in: names) ? nil : source
        formatName = input.longName

        guard let allocated = unsafe avformat_alloc_context() else {
            throw .damaged(LibavError("allocating a demuxer", code: trim_averror(ENOMEM)))
        }
        unsafe allocated.pointee.pb = unsafe io.context
        unsafe allocated.pointee.opaque = unsafe counter.opaque
        unsafe allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        unsafe allocated.pointee.io_open = { _, _, _, _, _ in trim_averror(EPERM) }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe allocated
        var options = OptionDictionary([
            ("protocol_whitelist", ""), ("codec_whitelist", LibavLimits.decoderList),
            ("max_streams", "\(LibavLimits.tracks)"),
            ("probesize", "\(deep ? LibavLimits.deepProbeBytes : LibavLimits.probeBytes)"),
        ])
        if deep {
            // Otherwise FFmpeg would stop by its own clock and keep all packets.
            unsafe allocated.pointee.max_analyze_duration = Int64(AV_TIME_BASE) * 3600
            unsafe allocated.pointee.flags |= AVFMT_FLAG_NOBUFFER
        }
        // A failure frees the context.
        let opened = unsafe avformat_open_input(&context, source.name, input.pointer, &options.pointer)
        guard opened >= 0, let context = unsafe context else {
            // FFmpeg returns ENOMEM in both cases.
            if opened == trim_averror(ENOMEM) {
                throw .damaged(
                    LibavError(
                        "opening \(source.name) as \(names)",
                        cause:
                            "it has more than \(LibavLimits.tracks) tracks, or asks for more memory than there is"
                    ))
            }
            guard opened != trim_error_invaliddata || FormatDetection.isMedia(source) else {
                throw .notRecognized(format: nil)
            }
            throw .damaged(LibavError("opening \(source.name) as \(names)", code: io.mapped(opened)))
        }
        unsafe self.context = context
        if !hidden.isEmpty { io.readAll() }
        movie =
            isPlain
            ? unsafe OpenedMovie(context, io, format: format, formatName: formatName, of: source) : nil
        // Some containers reveal their tracks only as packets arrive.
        let mustLook = unsafe context.pointee.ctx_flags & AVFMTCTX_NOHEADER != 0
        if !quick || mustLook || !all.isDisjoint(with: Demuxer.probed) || saysTooLittle {
            let looked = unsafe avformat_find_stream_info(context, nil)
            guard looked >= 0 else {
                throw .damaged(LibavError("reading the streams of \(source.name)", code: io.mapped(looked)))
            }
        }
        completeTimes(of: 0..<ownTrackCount)
        completeHeaders()
        for (track, form) in forms {
            if let stream = unsafe ownStream(track) { unsafe form.describe(stream) }
        }
        unpackFrames()
    }

    deinit {
        if let movie, isAsOpened {
            movie.rest()
            return IdleMovies.shared.keep(movie)
        }
        var pointer: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&pointer)
    }

    /// Closes what is kept for further readers of files that were read.
    public static func closeIdle() { IdleMovies.shared.close() }

    /// Whether the next reader of this movie finds what this one has found.
    private var isAsOpened: Bool {
        let failure = unsafe context.pointee.pb?.pointee.error ?? 0
        let isParsed = unsafe context.pointee.flags & AVFMT_FLAG_NOPARSE == 0
        return !isUsed && failure == 0 && io.failure == 0 && !io.hasOmissions && counter.isZero && isParsed
    }

    /// Number of tracks found so far.
    public var trackCount: Int {
        guard let last = companions.entries.last else { return ownTrackCount }
        return last.first + last.demuxer.trackCount
    }

    /// Tracks of the file itself. Where others follow, it keeps the number that it began with.
    var ownTrackCount: Int {
        companions.entries.isEmpty ? Int(unsafe context.pointee.nb_streams) : companions.ownTracks
    }

    func stream(_ track: Int) -> UnsafeMutablePointer<AVStream>? {
        guard let index = companions.entry(of: track) else { return unsafe ownStream(track) }
        let entry = companions.entries[index]
        return unsafe entry.demuxer.stream(track - entry.first)
    }

    /// A track of the file itself.
    func ownStream(_ track: Int) -> UnsafeMutablePointer<AVStream>? {
        guard 0..<ownTrackCount ~= track else { return nil }
        return unsafe context.pointee.streams[track]
    }

    /// Discards all packets except those of one track. Containers with an index skip their bytes.
    public func select(track: Int) {
        selectAmongCompanions(track)
        if companions.entry(of: track) == nil { joined?.select(track) }
        for index in 0..<ownTrackCount {
            unsafe ownStream(index)?.pointee.discard = index == track ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
        if !edited.isEmpty { selectAmongEdited(track) }
        if companions.entry(of: track) == nil { completeTimes(of: track..<(track + 1)) }
    }

    /// Frames of these codecs have a display order that follows from their type: a reference frame is shown when the next one is
    /// decoded. Where a container stores times of some frames only, as program and transport streams may, or none, as AVI does,
    /// FFmpeg derives them a few packets ahead. For codecs with more freedom it would guess wrong.
    private func completeTimes(of tracks: Range<Int>) {
        if !timesAsStored, hasOrderedFrames(tracks) {
            unsafe context.pointee.flags |= AVFMT_FLAG_GENPTS
        } else {
            unsafe context.pointee.flags &= ~AVFMT_FLAG_GENPTS
        }
    }

    /// Whether one of these tracks has frames of such a codec.
    func hasOrderedFrames(_ tracks: Range<Int>) -> Bool {
        tracks.contains { index in
            guard let codec = unsafe stream(index)?.pointee.codecpar.pointee.codec_id else { return false }
            return [AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4].contains(codec)
        }
    }

    /// Seeks to the last position from which the container says `ticks` of the track can be reached. False if the container
    /// cannot seek there, or FFmpeg would misplace the samples after it.
    public func seek(track: Int, toTicks ticks: Int64) -> Bool {
        guard unsafe stream(track) != nil, !isMisplacedBySeeks(track) else { return false }
        guard companions.entries.isEmpty else { return seekCompanions(track: track, toTicks: ticks) }
        return seekOwn(track: track, toTicks: ticks)
    }

    /// Seeks in the file itself.
    func seekOwn(track: Int, toTicks ticks: Int64) -> Bool {
        if let joined { return joined.seek(track: track, toTicks: ticks) }
        if !edited.isEmpty { return seekEdited(track: track, toTicks: ticks) }
        var ticks = ticks
        (lastStored, adtsClocks) = ([:], [:])
        for unpacker in unpackers.values { unpacker.flush() }
        if case .derived(let order) = order(of: track) {
            if let place = order.seekPlace(beforePresentation: ticks) { return seek(toByte: place) }
            ticks = order.stored(beforePresentation: ticks)
        }
        return seekSettled(track: track, toTicks: ticks)
    }

    /// Number of container errors found so far that did not stop reading.
    public var errors: Int {
        companions.entries.reduce(joined?.errors ?? counter.errors) { $0 + $1.demuxer.errors }
            + edited.values.reduce(0) { $0 + $1.errors }
    }
}
