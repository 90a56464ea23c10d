// Knowledge of video codecs that FFmpeg lacks: one type for each codec, in one registry (VideoCodecs). A new codec needs a type, a
// line in the registry, and a film in the tests. Pure.
package import Media

/// A video codec. The defaults fit one whose samples are not parsed: every sync sample is a key frame.
package protocol VideoCodec: SendableMetatype {
    /// FFmpeg's names.
    static var names: Set<String> { get }

    // MARK: samples

    /// How the NAL units of samples are delimited in a track with this extradata.
    static func framing(extradata: [UInt8]) -> NALFraming
    /// Classifies a sample that the container or parser calls a sync sample.
    static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit
    /// The codec's term for a sync sample.
    static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind
    /// Distinguishes single fields from frames; nil if no sample of the track can be a field.
    static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)?
    /// Whether decoding the sample shows nothing (a frame that is only a reference). False where unknown.
    static func isNonShown(_ sample: Span<UInt8>) -> Bool
    /// Every sample of a container with an index is a frame that is shown, at the time in the index: its bytes say no more of that,
    /// unless samples can be fields.
    static var isTimedByIndex: Bool { get }
    /// Whether a sample is built as the codec requires, as far as its first bytes show.
    static func isWhole(_ sample: [UInt8]) -> Bool
    /// The check of a track's samples.
    /// - Parameters:
    ///   - header: its extradata.
    ///   - first: its first sample.
    static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck
    /// The written form of a level number above 0, as in the standard.
    static func levelText(_ level: Int32) -> String

    // MARK: decoding

    /// FFmpeg's bitstream filter that joins packets which are one sample; nil if each packet is one.
    static var joiner: String? { get }
    /// The pictures of field-coded tracks are single fields: each has its own sample and half the height.
    static var codesFieldsAsPictures: Bool { get }
    /// Reorder depth in frames where FFmpeg's decoder would learn it too late; 0 where it knows it.
    static func reorderDepth(extradata: [UInt8]) -> Int
    /// The encoder build that a sample names; nil if none matters to decoders.
    static func encoderBuild(in sample: [UInt8], extradata: [UInt8]) -> Int?

    // MARK: copying

    /// The sample entry in MP4 and QuickTime; nil: the muxer's.
    static var movieTag: String? { get }
    /// Why a stream cannot be copied, as the end of a sentence; nil if it can.
    static func copyRefusal(_ stored: StoredStream) -> String?
    /// Whether a sample begins with its own header.
    static func hasHeader(_ sample: [UInt8]) -> Bool
    /// The header of codecs that may store it in the stream, from wherever a stream has one.
    static func header(of stored: StoredStream) -> [UInt8]
    /// Each sync sample must carry its own header where another came before it.
    static var needsOwnHeaders: Bool { get }
    /// The parameter sets in a track's extradata; nil if the codec keeps none there.
    static func parameterSets(extradata: [UInt8]) -> (any ParameterSets)?
    /// A sync sample that follows other frames than it followed in the source.
    static func afterOther(_ sample: [UInt8], framing: NALFraming) -> [UInt8]
}

extension VideoCodec {
    package static func framing(extradata: [UInt8]) -> NALFraming { .annexB }
    package static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        AccessUnit(randomAccess: .closed)
    }
    package static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind {
        unit.randomAccess == .none ? .marked : .key
    }
    package static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)? { nil }
    package static func isNonShown(_ sample: Span<UInt8>) -> Bool { false }
    package static var isTimedByIndex: Bool { false }
    package static func isWhole(_ sample: [UInt8]) -> Bool { !sample.isEmpty }
    package static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
        { isWhole($0) ? nil : .malformed }
    }
    package static func levelText(_ level: Int32) -> String { "\(level)" }
    package static var joiner: String? { nil }
    package static var codesFieldsAsPictures: Bool { false }
    package static func reorderDepth(extradata: [UInt8]) -> Int { 0 }
    package static func encoderBuild(in sample: [UInt8], extradata: [UInt8]) -> Int? { nil }
    package static var movieTag: String? { nil }
    package static func copyRefusal(_ stored: StoredStream) -> String? { nil }
    package static func hasHeader(_ sample: [UInt8]) -> Bool { true }
    package static func header(of stored: StoredStream) -> [UInt8] { [] }
    package static var needsOwnHeaders: Bool { false }
    package static func parameterSets(extradata: [UInt8]) -> (any ParameterSets)? { nil }
    package static func afterOther(_ sample: [UInt8], framing: NALFraming) -> [UInt8] { sample }
}

/// A stored stream, as far as its coding is known.
package struct StoredStream {
    /// The decoder's initialisation data (extradata) from the container; empty if there is none.
    package var header: [UInt8]
    /// Its first sample.
    package var first: [UInt8]

    package init(header: [UInt8], first: [UInt8]) {
        self.header = header
        self.first = first
    }
}
