// A picture parameter set of H.264 (ITU-T H.264, 7.3.2.2).

/// The content of a picture parameter set.
struct H264PictureSet: Equatable, Sendable {
    /// 0 to 255, and the sequence parameter set it belongs to.
    var id = 0
    var sequenceID = 0
    /// CABAC instead of CAVLC.
    var isCABAC = false
    var bottomFieldOrder = false
    /// More than 1: flexible macroblock ordering. The rest is then not parsed.
    var sliceGroups = 1
    /// Default number of references of a slice.
    var references0 = 1
    var references1 = 1
    var weightedPrediction = false
    var weightedBiprediction = 0
    var initialQP = 26
    var chromaQPOffset = 0
    var deblockingControl = false
    var constrainedIntra = false
    var redundantPictures = false
    var transform8x8 = false
    var hasScalingMatrix = false
    /// The offset of Cr.
    var secondChromaQPOffset = 0

    /// Parses a NAL unit of type 8; nil if it is damaged.
    /// - Parameter chromaFormat: of its sequence parameter set.
    init?(_ nal: ArraySlice<UInt8>, chromaFormat: Int = 1) {
        guard let head = nal.first, head & 31 == 8 else { return nil }
        var reader = BitReader(EmulationPrevention.unescape(nal.dropFirst()))
        id = reader.ue()
        sequenceID = reader.ue()
        isCABAC = reader.bit()
        bottomFieldOrder = reader.bit()
        sliceGroups = reader.ue() + 1
        guard !reader.isDamaged, id <= 255, sequenceID <= 31, sliceGroups <= 8 else { return nil }
        guard sliceGroups == 1 else { return }
        references0 = reader.ue() + 1
        references1 = reader.ue() + 1
        weightedPrediction = reader.bit()
        weightedBiprediction = reader.bits(2)
        initialQP = 26 + reader.se()
        _ = reader.se()
        chromaQPOffset = reader.se()
        deblockingControl = reader.bit()
        constrainedIntra = reader.bit()
        redundantPictures = reader.bit()
        guard !reader.isDamaged, references0 <= 32, references1 <= 32 else { return nil }
        secondChromaQPOffset = chromaQPOffset
        guard reader.hasMoreData else { return }
        transform8x8 = reader.bit()
        hasScalingMatrix = reader.bit()
        if hasScalingMatrix {
            H264SequenceSet.skipMatrices(
                &reader, count: 6 + (transform8x8 ? (chromaFormat == 3 ? 6 : 2) : 0))
        }
        secondChromaQPOffset = reader.se()
        if reader.isDamaged { return nil }
    }
}
