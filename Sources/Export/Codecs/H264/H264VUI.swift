// Video usability information of H.264 (ITU-T H.264, annex E.1).

/// The display and buffering fields of a sequence parameter set.
struct H264VUI: Equatable, Sendable {
    /// aspect_ratio_idc, 255 for an explicit ratio; nil if not present.
    var aspectRatio: Int?
    var sampleWidth = 0
    var sampleHeight = 0
    var overscanAppropriate: Bool?
    /// 5 if not present.
    var videoFormat = 5
    var hasVideoSignal = false
    var isFullRange = false
    /// As in ITU-T H.273; 2 if not present.
    var primaries = 2
    var transfer = 2
    var matrix = 2
    var hasColours = false
    /// chroma_sample_loc_type of both fields.
    var chromaLocation: Int?
    var chromaLocationBottom: Int?
    /// Seconds between fields: unitsInTick / timeScale. 0 if not present.
    var unitsInTick = 0
    var timeScale = 0
    var isFixedRate = false
    var hasTiming: Bool { timingPosition != nil }
    /// The bit position of the timing in the payload: two numbers of 32 bits and a flag; nil if not present.
    var timingPosition: Int?
    var hasNALBuffering = false
    var hasVCLBuffering = false
    var hasPictureStructure = false
    /// In frames; nil without bitstream_restriction.
    var maxReorder: Int?
    var maxBuffering: Int?

    init(_ reader: inout BitReader) {
        if reader.bit() {
            aspectRatio = reader.bits(8)
            if aspectRatio == 255 {
                sampleWidth = reader.bits(16)
                sampleHeight = reader.bits(16)
            }
        }
        if reader.bit() { overscanAppropriate = reader.bit() }
        hasVideoSignal = reader.bit()
        if hasVideoSignal {
            videoFormat = reader.bits(3)
            isFullRange = reader.bit()
            hasColours = reader.bit()
            if hasColours {
                primaries = reader.bits(8)
                transfer = reader.bits(8)
                matrix = reader.bits(8)
            }
        }
        if reader.bit() {
            chromaLocation = reader.ue()
            chromaLocationBottom = reader.ue()
        }
        if reader.bit() {
            timingPosition = reader.position
            unitsInTick = reader.bits(32)
            timeScale = reader.bits(32)
            isFixedRate = reader.bit()
        }
        hasNALBuffering = reader.bit()
        if hasNALBuffering { H264VUI.skipBuffering(&reader) }
        hasVCLBuffering = reader.bit()
        if hasVCLBuffering { H264VUI.skipBuffering(&reader) }
        if hasNALBuffering || hasVCLBuffering { reader.skip(1) }
        hasPictureStructure = reader.bit()
        if reader.bit() {
            reader.skip(1)
            for _ in 0..<4 { _ = reader.ue() }
            maxReorder = reader.ue()
            maxBuffering = reader.ue()
        }
    }

    private static func skipBuffering(_ reader: inout BitReader) {
        let count = reader.ue() + 1
        reader.skip(8)
        for _ in 0..<Swift.min(count, 32) {
            _ = reader.ue()
            _ = reader.ue()
            reader.skip(1)
        }
        reader.skip(20)
    }
}
