// Corrections of a demuxer to FFmpeg's: the order of presentation where a container lacks it,
// keyframes, and headers that a container leaves out. Works on the demuxer's queue.
internal import CFFmpeg

extension Demuxer {
    /// Corrects a packet of the file itself.
    func correct(_ packet: Packet) {
        if packet.isKey,
            unsafe ownStream(packet.track)?.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_H263
        {
            // FFmpeg's parser marks every frame as one.
            packet.setKey(packet.withBytes(Demuxer.isIntraH263))
        }
        if packet.isKey, !hasKeyAlpha(packet) { packet.setKey(false) }
        if packet.duration == 1, isGuess(packet) { packet.duration = 0 }
        if let usual = usualInterval(of: packet.track), packet.duration / 2 >= usual {
            packet.duration = usual
        }
        countSamples(of: packet)
        order(packet)
    }

    /// Corrects the times of AAC in a transport stream that changed its rate.
    private func countSamples(of packet: Packet) {
        guard format == "mpegts", let stream = unsafe ownStream(packet.track),
            unsafe stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_AAC,
            unsafe stream.pointee.time_base.num == 1
        else { return }
        unsafe adtsClocks[packet.track, default: ADTSClock()].correct(
            packet, rate: Int64(stream.pointee.codecpar.pointee.sample_rate),
            ticks: Int64(stream.pointee.time_base.den))
    }

    /// Whether the alpha channel of a frame of VP8 or VP9 decodes without others: it is a stream of its own beside the colours, whose
    /// keyframes may be elsewhere.
    private func hasKeyAlpha(_ packet: Packet) -> Bool {
        let codec = unsafe ownStream(packet.track)?.pointee.codecpar.pointee.codec_id
        guard codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9 else { return true }
        let type = AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL.rawValue
        // An identifier of eight bytes, 1 for alpha, is before the frame.
        guard var alpha = packet.sideData.first(where: { $0.type == type })?.bytes.dropFirst(7),
            alpha.count > 1, alpha.removeFirst() == 1, let first = alpha.first
        else { return true }
        // RFC 6386, 9.1; VP9 Bitstream & Decoding Process Specification, 6.2: the profile, show_existing_frame, frame_type.
        if codec == AV_CODEC_ID_VP8 { return first & 1 == 0 }
        let rest = first << (first >> 4 & 3 == 3 ? 5 : 4)
        return first >> 6 == 2 && rest & 0xC0 == 0
    }

    /// Whether the one tick that a packet of a movie lasts is FFmpeg's guess: for frames that are stored out of order it takes a tick of
    /// more than a millisecond for a frame, where it knows no rate. The ticks of phones are 1/600 s.
    private func isGuess(_ packet: Packet) -> Bool {
        guard hasIndex, let dts = packet.dts, let stream = unsafe ownStream(packet.track),
            unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
            unsafe Int64(stream.pointee.time_base.num) * 1000 > Int64(stream.pointee.time_base.den)
        else { return false }
        let place = unsafe av_index_search_timestamp(stream, dts, AVSEEK_FLAG_ANY | AVSEEK_FLAG_BACKWARD)
        guard place >= 0, let next = unsafe avformat_index_get_entry(stream, place + 1) else { return true }
        return unsafe next.pointee.timestamp &- dts != 1
    }

    /// Ticks that packets of AAC in a movie last: all have as many samples, but the last one before a gap is said to last as long as the gap.
    /// Nil: the track is another one.
    private func usualInterval(of track: Int) -> Int64? {
        guard hasIndex, companions.entries.isEmpty, let stream = unsafe ownStream(track),
            unsafe stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_AAC
        else { return nil }
        if let known = usualIntervals[track] { return known > 0 ? known : nil }
        let usual = interval(of: track, Demuxer.first)?.usual ?? 0
        usualIntervals[track] = usual
        return usual > 0 ? usual : nil
    }

    /// Samples whose intervals tell the usual one.
    private static let first: Range<Int32> = 0..<1000

    /// Gives Opus its header, which CAF has no place for and other containers need (RFC 7845, 5.1): all samples are played. More
    /// than two channels may have any order, and FFmpeg does not decode them without one.
    func completeHeaders() {
        for index in 0..<ownTrackCount {
            guard let codec = unsafe ownStream(index)?.pointee.codecpar,
                unsafe codec.pointee.codec_id == AV_CODEC_ID_OPUS && codec.pointee.extradata == nil
            else { continue }
            let channels = unsafe codec.pointee.ch_layout.nb_channels
            guard 1...2 ~= channels else { continue }
            let header: [UInt8] =
                Array("OpusHead".utf8) + [1, UInt8(channels), 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
            guard let raw = unsafe av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
                continue
            }
            unsafe header.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress { unsafe raw.copyMemory(from: base, byteCount: bytes.count) }
            }
            unsafe codec.pointee.extradata = raw.assumingMemoryBound(to: UInt8.self)
            unsafe codec.pointee.extradata_size = Int32(header.count)
        }
    }

    /// Whether a track's header in Matroska lacks what FFmpeg finds in its packets, or contradicts its codec's own: FFmpeg counts the
    /// times of packets that share a block, and of decoded samples, by the header's sample rate.
    var saysTooLittle: Bool {
        format.contains("matroska")
            && (0..<ownTrackCount).contains { index in
                guard let codec = unsafe ownStream(index)?.pointee.codecpar else { return false }
                let rate = unsafe codec.pointee.sample_rate
                return switch unsafe codec.pointee.codec_id {
                // RFC 7845, 4: Opus always decodes to this rate; some muxers write the rate of what was encoded.
                case AV_CODEC_ID_OPUS: rate != 48_000
                case AV_CODEC_ID_VORBIS: unsafe Demuxer.vorbisRate(codec.pointee) != rate
                case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3: true
                // Video as AVI stores it, with AVI's codec tag and times.
                default: unsafe codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO && codec.pointee.codec_tag != 0
                }
            }
    }

    /// The sample rate of Vorbis's identification header, the first of three behind their lengths in Xiph's lacing; nil if it is none.
    private static func vorbisRate(_ codec: AVCodecParameters) -> Int32? {
        let header = unsafe Array(
            UnsafeBufferPointer(start: codec.extradata, count: Int(codec.extradata_size)))
        guard header.first == 2 else { return nil }
        // Each length ends with the first byte below 255.
        let ends = header.indices.dropFirst().lazy.filter { header[$0] < 255 }.prefix(2)
        guard let start = ends.last.map({ $0 + 1 }), header.count >= start + 16 else { return nil }
        return Int32(truncatingIfNeeded: (0..<4).reduce(0) { $0 | Int(header[start + 12 + $1]) << (8 * $1) })
    }

    /// The object type of AAC beyond 31 (ISO/IEC 14496-3, 1.6.2.1), such as 42 of USAC: FFmpeg decodes few of them. Nil: it is below that.
    static func extendedObjectType(_ codec: AVCodecParameters) -> Int? {
        guard unsafe codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size >= 2,
            let head = unsafe codec.extradata, unsafe head[0] >> 3 == 31
        else { return nil }
        return unsafe 32 + Int(head[0] & 7) << 3 + Int(head[1] >> 5)
    }

    /// Whose times of a track are right.
    func order(of track: Int) -> CodedOrders.Finding {
        guard let orderedSource, CodedOrders.mayDiffer(self, track: track) else { return .stored }
        if let known = orders[track] { return known }
        let finding = CodedOrders.shared.finding(orderedSource, track: track)
        orders[track] = finding
        return finding
    }

    /// Gives a packet the times of its place in the order of presentation, where the container has only that of storage; none where
    /// nobody knows it.
    private func order(_ packet: Packet) {
        switch order(of: packet.track) {
        case .stored: return
        case .derived(let order):
            // FFmpeg gives the second packet after a seek in ASF no time.
            let stored =
                order.span != nil
                ? packet.place?.lowerBound
                : unpackers[packet.track] != nil
                    ? packet.dts
                    : packet.pts ?? packet.dts ?? lastStored[packet.track].flatMap(order.stored(after:))
            lastStored[packet.track] = stored
            let times = stored.flatMap(order.times(ofStored:))
            (packet.pts, packet.dts) = (times?.pts, times?.dts)
        case .unknown:
            // Times of decoding still say when frames are decoded; those of MXF are of other frames.
            if format == "mxf" { (packet.pts, packet.dts) = (nil, nil) }
        }
    }

    /// Whether an H.263 frame is an intra frame (ITU-T H.263, 5.1).
    private static func isIntraH263(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return false }
        let head = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
        func bits(_ from: Int, _ count: Int) -> UInt64 {
            head >> UInt64(64 - from - count) & (1 << count - 1)
        }
        guard bits(0, 22) == 0x20 else { return false }
        // Source format 7 means that an extended header follows, of one part or two.
        guard bits(35, 3) == 7 else { return bits(38, 1) == 0 }
        return bits(bits(38, 3) == 1 ? 59 : 41, 3) == 0
    }
}
