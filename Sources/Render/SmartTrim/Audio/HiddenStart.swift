// How the packets that a decoder needs before the in point are hidden where there is no edit list: Ogg and Matroska state the samples
// that are skipped of Opus, and the LAME tag those of MP3. Confined to its lane's queue.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

/// The hidden start of one copied audio track.
struct HiddenStart {
    private let track: Track
    private let ends: FileType.AudioEnds
    private let rate: Int
    /// Matroska says what is skipped at both ends, with CodecDelay and DiscardPadding.
    private let hasDelay: Bool
    private var reservoir = MP3Reservoir()

    init(_ track: Track, in fileType: FileType, rate: Int) {
        (self.track, ends, self.rate) = (track, fileType.audioEnds, rate)
        hasDelay = HiddenStart.hasDelay(track.audioCodec, in: fileType)
    }

    /// Whether a container says with CodecDelay what is skipped of a codec.
    static func hasDelay(_ codec: any AudioCodec.Type, in fileType: FileType) -> Bool {
        fileType.isMatroska && codec.hasCodecDelay
    }

    /// Preroll in samples that is kept before the in point; nil: nothing can be hidden.
    /// - Parameter count: samples of a packet.
    func preroll(packet count: Int64) -> Int64? {
        let codec = track.audioCodec
        switch ends {
        case .editList: return codec.preroll(profile: track.profile, packet: count, rate: rate)
        case .position where codec is OpusCodec.Type, .packets where hasDelay:
            return codec.preroll(profile: track.profile, packet: count, rate: rate)
        // Two granules, for the overlap and the filter bank. The bytes that they take from earlier packets come in a packet of
        // their own.
        case .tag: return 1152
        case .position, .samples, .packets: return nil
        }
    }

    /// Whether the container states where the last packet ends.
    var statesEnd: Bool { ends == .position || statesPadding }

    /// Whether it states the padding of the last packet, and not the time at which the track ends.
    var statesPadding: Bool { ends == .tag || hasDelay }

    /// Samples by which the container's times are later than the track's.
    /// - Parameter count: samples to skip.
    func delay(skipping count: Int64) -> Int64 { hasDelay ? count : 0 }

    /// Counts times in samples where a delay is added to them, before the container rounds the sum.
    func timebase(_ stored: Timebase) -> Timebase { (hasDelay ? Timebase(perSecond: rate) : nil) ?? stored }

    /// Notes a packet that is left out.
    mutating func pass(_ packet: Packet) {
        if ends == .tag { reservoir.add(packet.bytes) }
    }

    /// The least that the LAME tag can skip: decoders delay MP3 by 529 samples, which it does not count.
    private static let least: Int64 = 530

    /// The packet to insert before the first one; nil: none. It is as long as that one.
    /// - Parameter count: samples to skip without it.
    func lead(before packet: Packet, skipping count: Int64) throws(LibavError) -> Packet? {
        guard ends == .tag, count < HiddenStart.least || MP3Frame(packet.bytes)?.reach != 0,
            let bytes = reservoir.packet(before: packet.bytes)
        else { return nil }
        let lead = try Packet()
        try lead.replaceBytes(bytes)
        return lead
    }

    /// The track's parameters where the first samples are skipped.
    func parameters(_ stored: CodecParameters, skipping count: Int64) throws(LibavError) -> CodecParameters {
        guard ends == .position || hasDelay,
            let header = track.audioCodec.header(stored.extradata, skipping: count)
        else { return stored }
        return try CodecParameters(stored, header: header, skipping: Int(count))
    }

    /// Samples to skip, as the first packet tells the muxer; 0: the header says it.
    func skip(_ count: Int64) -> Int {
        ends == .tag ? Int(max(HiddenStart.least, count)) : 0
    }
}
