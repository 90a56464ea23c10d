// Video usability information of H.264 (ITU-T H.264, annex E.1).

/// The display and buffering fields of a sequence parameter set.
package struct H264VUI: Equatable, Sendable {
    /// aspect_ratio_idc, 255 for an explicit ratio; nil if not present.
    package var aspectRatio: Int?
    package var sampleWidth = 0
    package var sampleHeight = 0
    package var overscanAppropriate: Bool?
    /// 5 if not present.
    package var videoFormat = 5
    package var hasVideoSignal = false
    package var isFullRange = false
    /// As in ITU-T H.273; 2 if not present.
    package var primaries = 2
    package var transfer = 2
    package var matrix = 2
    package var hasColours = false
    /// chroma_sample_loc_type of both fields.
    package var chromaLocation: Int?
    package var chromaLocationBottom: Int?
    /// Seconds between fields: unitsInTick / timeScale. 0 if not present.
    package var unitsInTick = 0
    package var timeScale = 0
    package var isFixedRate = false
    package var hasTiming: Bool { timingPosition != nil }
    /// The bit position of the timing in the payload: two numbers of 32 bits and a flag; nil if not present.
    package var timingPosition: Int?
    package var hasNALBuffering = false
    package var hasVCLBuffering = false
    package var hasPictureStructure = false
    /// In frames; nil without bitstream_restriction.
    package var maxReorder: Int?
    package var maxBuffering: Int?

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
