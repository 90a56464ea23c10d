// Reads a joined source: one piece after the other, each by a demuxer of its own that is open only while it is read, with all times on
// the one timeline. Used on its demuxer's queue.
internal import CFFmpeg
internal import MediaTime

/// The reading of a joined source.
final class JoinedReader {
    private let source: JoinedSource
    private let quick: Bool
    /// The piece that is read.
    private var index = 0
    /// The last one that is.
    var last = Int.max
    private var piece: Demuxer?
    /// Tracks whose next packet tells decoders the parameters of the piece.
    private var untold: Set<Int> = []
    private var selected: Int?
    /// The last keyframe of each track of the piece, by its time there.
    private var keys: [Int: Int64] = [:]
    /// The forms of packets that their track's decoder does not follow, by track and parameters.
    private var forms: [[Int]: PacketForm] = [:]
    /// Of the pieces that were read before.
    private var errorsBefore = 0, bytesBefore: Int64 = 0

    init(_ source: JoinedSource, quick: Bool) { (self.source, self.quick) = (source, quick) }

    /// When a track begins to have the parameters of most of the film; nil: from its beginning on.
    func mainStart(of track: Int) -> Int64? { source.mainStart(of: track) }

    /// Whether pieces of a video track have pixels of different shapes.
    func changesAspect(of track: Int) -> Bool { source.changesAspect(of: track) }

    /// The chapters of the films that it reads.
    var chapters: [ContainerChapter] { source.films?.chapters ?? [] }

    /// Container errors so far.
    var errors: Int { errorsBefore + (piece?.errors ?? 0) }
    /// Bytes read so far.
    var bytesRead: Int64 { bytesBefore + (piece?.bytesRead ?? 0) }

    /// Reads one track only from now on.
    func select(_ track: Int) {
        selected = track
        if let piece { select(in: piece) }
    }

    private func select(in demuxer: Demuxer) {
        guard let selected else { return }
        guard let own = source.pieces[index].tracks.first(where: { $0.value.track == selected }) else {
            return
        }
        demuxer.select(track: own.key)
    }

    /// Continues with a piece, from its beginning.
    private func go(to next: Int) {
        if let piece {
            errorsBefore += piece.errors
            bytesBefore += piece.bytesRead
        }
        (piece, index, keys) = (nil, next, [:])
    }

    private func opened() throws(OpenFailure) -> Demuxer {
        if let piece { return piece }
        let demuxer = try Demuxer(source.pieces[index].file, quick: quick)
        piece = demuxer
        select(in: demuxer)
        tell()
        return demuxer
    }

    /// From here on decoders must be told again.
    private func tell() {
        untold = Set(
            source.pieces[index].tracks.values.map(\.track).filter { source.tracks[$0].tellsParameters })
    }

    /// Seeks to the last position from which a track can be read at a time in ticks of the whole.
    func seek(track: Int, toTicks ticks: Int64) -> Bool {
        guard let found = source.piece(of: track, at: ticks) else {
            go(to: 0)
            return true
        }
        if found != index { go(to: found) }
        guard let (local, own) = source.pieces[found].tracks.first(where: { $0.value.track == track }),
            let demuxer = try? opened()
        else { return false }
        let wanted = source.tracks[track].timebase.rescale(
            ticks &- own.offset, to: own.timebase, rounding: .towardNegativeInfinity)
        keys = [:]
        // The part before the first position is read from the beginning.
        if !demuxer.seek(track: local, toTicks: wanted) { go(to: found) }
        tell()
        return true
    }

    /// Continues with the beginning of a piece.
    func goToPiece(_ number: Int) { if source.pieces.indices.contains(number) { go(to: number) } }

    /// Reads the next packet.
    func read(into packet: Packet) -> Demuxer.Reading {
        while index < source.pieces.count, index <= last {
            let tracks = source.pieces[index].tracks
            if let selected, !tracks.values.contains(where: { $0.track == selected }) {
                go(to: index + 1)
                continue
            }
            let demuxer: Demuxer
            do throws(OpenFailure) { demuxer = try opened() } catch {
                return .broken(error.asError("opening a segment"))
            }
            switch demuxer.readOwn(into: packet) {
            case .packet:
                guard let own = tracks[packet.track], !isLeading(packet, own) else { continue }
                do throws(LibavError) { try place(packet, own) } catch { return .broken(error) }
                if isBehindFilm(packet, own) { continue }
                return .packet
            case .ended: go(to: index + 1)
            case .broken(let error): return .broken(error)
            }
        }
        return .ended
    }

    /// Whether a picture refers to what is before its piece, so that no player shows it.
    private func isLeading(_ packet: Packet, _ own: JoinedSource.PieceTrack) -> Bool {
        guard let bareKey = own.bareKey else { return false }
        if packet.isKey { keys[packet.track] = packet.pts }
        return !packet.isKey && keys[packet.track] == bareKey
            && packet.isSkippedLeading(source.tracks[own.track].parameters[own.parameters])
    }

    /// Shows the first and the last frame of a piece for as long as it says.
    private func hold(_ packet: Packet, _ held: JoinedSource.Held) {
        if let first = held.first {
            // Decoding times keep their order.
            if let dts = packet.dts, let limit = first.dts, dts <= limit { packet.dts = dts &- first.lead }
            if packet.pts == first.pts {
                packet.pts = first.pts &- first.lead
                packet.duration += first.lead
            }
        }
        if let last = held.last, packet.pts == last.pts { packet.duration = last.duration }
    }

    /// Leaves out what a packet of audio has behind the end of its film, which encoders add, and shows a subtitle no longer: the next film
    /// has its place.
    private func endWithFilm(
        _ packet: Packet, _ own: JoinedSource.PieceTrack, _ base: Timebase
    ) throws(LibavError) {
        guard source.films != nil, index + 1 < source.pieces.count, let end = own.end, let pts = packet.pts
        else { return }
        let parameters = unsafe source.tracks[own.track].parameters[own.parameters].pointer.pointee
        if unsafe parameters.codec_type == AVMEDIA_TYPE_SUBTITLE {
            let rest = max(0, end &- pts)
            packet.duration = packet.duration > 0 ? min(packet.duration, rest) : rest
            return
        }
        guard unsafe parameters.codec_type == AVMEDIA_TYPE_AUDIO,
            let samples = unsafe Timebase(perSecond: Int(parameters.sample_rate))
        else { return }
        // Movies may say of the last packet how much of it is heard.
        let whole = unsafe max(packet.duration, samples.rescale(Int64(parameters.frame_size), to: base))
        let excess = base.rescale(min(whole, pts &+ whole &- end), to: samples)
        guard excess > packet.discardedSamples else { return }
        try packet.setDiscardedSamples(Int(excess), first: packet.skippedSamples)
    }

    /// Whether a subtitle is shown only when its film is over.
    private func isBehindFilm(_ packet: Packet, _ own: JoinedSource.PieceTrack) -> Bool {
        guard source.films != nil, index + 1 < source.pieces.count, let end = own.end, let pts = packet.pts
        else { return false }
        let parameters = unsafe source.tracks[own.track].parameters[own.parameters].pointer.pointee
        return unsafe parameters.codec_type == AVMEDIA_TYPE_SUBTITLE && pts >= end
    }

    /// How packets of a piece are decoded; nil: as those of its track.
    private func form(of own: JoinedSource.PieceTrack) throws(LibavError) -> PacketForm? {
        let all = source.tracks[own.track].parameters
        guard let main = all.first, all[own.parameters].needsOtherDecoder(than: main) else { return nil }
        let key = [own.track, own.parameters]
        if let known = forms[key] { return known }
        let turn = (all[own.parameters].rotation - main.rotation + 360) % 360
        let form = try PacketForm(
            all[own.parameters].withExtradata(all[own.parameters].toldHeader), turn: turn)
        forms[key] = form
        return form
    }

    /// Makes a packet one of the whole.
    private func place(_ packet: Packet, _ own: JoinedSource.PieceTrack) throws(LibavError) {
        let whole = source.tracks[own.track]
        packet.track = own.track
        let base = whole.timebase
        let pts = packet.pts.map { own.timebase.rescale($0, to: base) &+ own.offset }
        packet.dts = packet.dts.map { own.timebase.rescale($0, to: base) &+ own.offset }
        packet.pts = pts
        packet.becomeChanged()
        // The priming of a later piece is under the end of the one before: it is decoded and not shown.
        if index > 0, whole.parameters[own.parameters].isSkipped(packet, own.timebase) { packet.discard() }
        if base != own.timebase { packet.duration = own.timebase.rescale(packet.duration, to: base) }
        hold(packet, own.held)
        try endWithFilm(packet, own, base)
        if let form = try form(of: own) { try packet.carry(form) }
        guard untold.remove(own.track) != nil else { return }
        try packet.tell(whole.parameters[own.parameters].toldHeader)
    }
}

extension Demuxer {
    /// Goes to the beginning of one of several films, by its number from 0: to what is decoded for its first frame, too.
    public func goToFilm(_ film: Int) { joined?.goToPiece(film) }

    /// Reads nothing behind one of several films, by its number from 0.
    public func endWithFilm(_ film: Int) { joined?.last = film }

    /// Goes to where a video track has the parameters that describe it, if it does not begin with them: those that most of a joined
    /// source has, or those of the range that is meant.
    public func goToMainParameters(of chosen: Int? = nil) {
        for track in 0..<ownTrackCount where track == chosen ?? track {
            guard let stream = unsafe ownStream(track),
                unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
                let start = forms[track]?.start ?? joined?.mainStart(of: track)
            else { continue }
            _ = seek(track: track, toTicks: start)
            return
        }
    }
}

extension OpenFailure {
    /// The error of FFmpeg's, or words for it.
    func asError(_ act: String) -> LibavError {
        switch self {
        case .damaged(let error): error
        case .playlist(let format): LibavError(act, cause: "it is a list of other files (\(format))")
        case .notRecognized(let format?): LibavError(act, cause: "its format is \(format)")
        case .notRecognized(nil): LibavError(act, cause: "its format is not recognised")
        }
    }
}

extension Packet {
    /// Marks it as decoded and not shown.
    fileprivate func discard() { unsafe pointer.pointee.flags |= AV_PKT_FLAG_DISCARD }

    /// Tells its decoder the initialisation data of what follows.
    func tell(_ extradata: [UInt8]) throws(LibavError) {
        guard !extradata.isEmpty else { return }
        let bytes = unsafe av_packet_new_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, extradata.count)
        guard let bytes = unsafe bytes else {
            throw LibavError("describing a packet", code: trim_averror(12))
        }
        unsafe extradata.withUnsafeBytes { from in
            if let base = from.baseAddress {
                unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: base, byteCount: extradata.count)
            }
        }
    }
}

extension CodecParameters {
    /// Whether all samples of an audio packet are skipped.
    /// - Parameter timebase: of its duration.
    fileprivate func isSkipped(_ packet: Packet, _ timebase: Timebase) -> Bool {
        let skipped = packet.skippedSamples
        guard skipped > 0, let rate = unsafe Timebase(perSecond: Int(pointer.pointee.sample_rate)) else {
            return false
        }
        return rate.rescale(Int64(skipped), to: timebase) >= packet.duration
    }

    /// Whether samples of both are of one form: a decoder of one decodes the other.
    func isSame(as other: CodecParameters) -> Bool {
        let (a, b) = unsafe (pointer, other.pointer)
        let isAlike =
            unsafe a.pointee.codec_id == b.pointee.codec_id
            && a.pointee.width == b.pointee.width && a.pointee.height == b.pointee.height
            && a.pointee.format == b.pointee.format && a.pointee.profile == b.pointee.profile
            && a.pointee.sample_rate == b.pointee.sample_rate
            && a.pointee.ch_layout.nb_channels == b.pointee.ch_layout.nb_channels
        return isAlike && container == other.container && rotation == other.rotation
            && decodingHeader == other.decodingHeader
    }

    /// Whether a decoder of others, told this initialisation data, does not decode samples of these: they are of another codec, in another
    /// container's form, or of a codec whose decoder keeps to what it was opened with; or their frames are turned otherwise.
    func needsOtherDecoder(than other: CodecParameters) -> Bool {
        let (a, b) = unsafe (pointer.pointee.codec_id, other.pointer.pointee.codec_id)
        guard a == b, container == other.container, rotation == other.rotation else { return true }
        let follows =
            Self.following.contains(a) || Self.describing.contains(a) || Decoder.reopened.contains(a)
        return !follows && !isSame(as: other)
    }

    /// Codecs whose decoders follow new initialisation data in the stream.
    static let following: Set<AVCodecID> = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AAC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_AV1,
        AV_CODEC_ID_VP9, AV_CODEC_ID_FLAC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO,
    ]

    /// Codecs whose packets say what their parameters are.
    static let describing: Set<AVCodecID> = [
        AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS,
        AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_VP8, AV_CODEC_ID_GIF,
    ]

    /// The initialisation data without what changes no sample: the titles of Vorbis and Theora, and the priming of Opus, which the packets
    /// of a joined source tell.
    var decodingHeader: [UInt8] {
        let header = extradata
        switch unsafe pointer.pointee.codec_id {
        case AV_CODEC_ID_VORBIS where header.first == 2, AV_CODEC_ID_THEORA where header.first == 2:
            // Two lengths, each of bytes that are added up, the last of which is less than 255; then three headers.
            var (at, lengths) = (1, [Int]())
            while lengths.count < 2 {
                var length = 0
                while at < header.count, header[at] == 255 { (length, at) = (length + 255, at + 1) }
                guard at < header.count else { return header }
                lengths.append(length + Int(header[at]))
                at += 1
            }
            guard at + lengths[0] + lengths[1] <= header.count else { return header }
            return Array(header[at..<(at + lengths[0])] + header[(at + lengths[0] + lengths[1])...])
        case AV_CODEC_ID_OPUS where header.count >= 16: return withoutPriming
        default: return header
        }
    }

    /// The header of Opus without the samples that are skipped at the beginning, and the rate before encoding (RFC 7845, 5.1).
    private var withoutPriming: [UInt8] {
        var header = extradata
        for index in 10..<16 where header.indices.contains(index) { header[index] = 0 }
        return header
    }

    /// The initialisation data that a joined source tells decoders at the beginning of a piece and after seeks.
    fileprivate var toldHeader: [UInt8] {
        unsafe pointer.pointee.codec_id == AV_CODEC_ID_OPUS ? withoutPriming : extradata
    }
}
