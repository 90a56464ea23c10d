// Knowledge of audio codecs that FFmpeg lacks: one type for each codec with rules of its own, in one registry (AudioCodecs). Pure.
package import Media

/// An audio codec. The defaults fit one whose packets decode by themselves.
package protocol AudioCodec: SendableMetatype {
    /// FFmpeg's names.
    static var names: Set<String> { get }

    // MARK: samples

    /// Whether a packet is built as the codec requires, as far as its first bytes show.
    static func isWhole(_ packet: [UInt8]) -> Bool
    /// Whether a packet's checksum matches; nil if it has none.
    static func checksumHolds(_ packet: [UInt8]) -> Bool?
    /// The name that movies give to all codecs of this type; nil: each has its own.
    static var movieName: String? { get }
    /// Every packet has a header that distinguishes it from other data; FFmpeg's demuxer does not check it.
    static var hasFrameHeaders: Bool { get }

    // MARK: copying

    /// Preroll in samples that a decoder needs before its output is exact.
    /// - Parameters:
    ///   - profile: FFmpeg's name of the profile.
    ///   - packet: samples of a packet.
    ///   - rate: samples per second.
    static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64
    /// The rate in which a movie counts a track's samples.
    /// - Parameters:
    ///   - packet: decoded samples of a packet.
    ///   - rate: decoded samples per second.
    static func movieRate(profile: String?, packet: Int64, rate: Int) -> Int
    /// Samples of a packet, from its bytes; nil: they do not give it.
    static func samples(in packet: [UInt8]) -> Int64?
    /// Copying needs the bytes of no packet but those at the ends: the container says all else.
    static var staysUnread: Bool { get }
    /// The header for a stream whose first samples are decoded and not played; nil: the header cannot say that.
    static func header(_ header: [UInt8], skipping samples: Int64) -> [UInt8]?
    /// Matroska's CodecDelay states the samples that players skip at the beginning of copied packets.
    static var hasCodecDelay: Bool { get }
    /// The header of a track whose container lacks it, where the samples need one; nil: they say all themselves, or it is unknown.
    /// - Parameter first: the first packet to be stored.
    static func missingHeader(_ first: [UInt8], of track: Track) -> [UInt8]?
    /// The first packet that is decoded gives no samples.
    static var beginsSilent: Bool { get }
    /// Tracks must begin with a major sync: the muxer of movies makes its header from it, and readers of other containers give the
    /// first one the time of the first packet.
    static var beginsWithMajorSync: Bool { get }
    /// The last packet can be shortened to a number of samples without loss.
    static var canShorten: Bool { get }
    /// Whether FFmpeg's encoder codes as a track's header says.
    /// - Parameter deepest: how many bits of a sample the encoder stores at most.
    static func isCodedAlike(_ track: Track, _ header: [UInt8], deepest: Int) -> Bool
    /// A shortened packet, as the packet it replaces is numbered; nil if it does not fit.
    static func shortened(_ made: [UInt8], inPlaceOf old: [UInt8]) -> [UInt8]?
    /// Where a container has a fixed timebase, audio is encoded at cut points: it loses nothing or little.
    static var isEncodedAtCuts: Bool { get }

    // MARK: encoding

    /// No information is lost by encoding.
    static var isLossless: Bool { get }
    /// iTunes' note of priming and padding is written to .m4a files with this codec.
    static var hasGaplessNote: Bool { get }
    /// The codec and encoder that keep a track's type when it must be encoded.
    static var reuse: AudioReuse { get }
    /// Matroska may declare the padding of the last packet (DiscardPadding). For other codecs FFmpeg's demuxer applies it to the
    /// previous packet and shortens that.
    static var declaresPadding: Bool { get }
}

extension AudioCodec {
    package static func isWhole(_ packet: [UInt8]) -> Bool { !packet.isEmpty }
    package static func checksumHolds(_ packet: [UInt8]) -> Bool? { nil }
    package static var movieName: String? { nil }
    package static var hasFrameHeaders: Bool { false }
    package static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 { 0 }
    package static func movieRate(profile: String?, packet: Int64, rate: Int) -> Int { rate }
    package static func samples(in packet: [UInt8]) -> Int64? { nil }
    package static var staysUnread: Bool { false }
    package static func header(_ header: [UInt8], skipping samples: Int64) -> [UInt8]? { nil }
    package static var hasCodecDelay: Bool { false }
    package static func missingHeader(_ first: [UInt8], of track: Track) -> [UInt8]? { nil }
    package static var beginsSilent: Bool { false }
    package static var beginsWithMajorSync: Bool { false }
    package static var canShorten: Bool { false }
    package static func isCodedAlike(_ track: Track, _ header: [UInt8], deepest: Int) -> Bool { false }
    package static func shortened(_ made: [UInt8], inPlaceOf old: [UInt8]) -> [UInt8]? { made }
    package static var isEncodedAtCuts: Bool { false }
    package static var isLossless: Bool { false }
    package static var hasGaplessNote: Bool { false }
    package static var reuse: AudioReuse { AudioReuse(codec: "aac", encoder: "aac", highestBitRate: 256_000) }
    package static var declaresPadding: Bool { false }

    /// In Matroska, the first packet says how much of it is priming: readers heed CodecDelay in times alone.
    package static var discardsPriming: Bool { !hasCodecDelay && !beginsSilent }

    /// The check of a track's packets.
    package static var sampleCheck: SampleCheck {
        { packet in
            if let holds = checksumHolds(packet) { return holds ? nil : .wrongChecksum }
            return isWhole(packet) ? nil : .malformed
        }
    }
}
