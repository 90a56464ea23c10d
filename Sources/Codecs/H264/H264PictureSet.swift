// A picture parameter set of H.264 (ITU-T H.264, 7.3.2.2).

/// The content of a picture parameter set.
package struct H264PictureSet: Equatable, Sendable {
    /// 0 to 255, and the sequence parameter set it belongs to.
    package var id = 0
    package var sequenceID = 0
    /// CABAC instead of CAVLC.
    package var isCABAC = false
    package var bottomFieldOrder = false
    /// More than 1: flexible macroblock ordering. The rest is then not parsed.
    package var sliceGroups = 1
    /// Default number of references of a slice.
    package var references0 = 1
    package var references1 = 1
    package var weightedPrediction = false
    package var weightedBiprediction = 0
    package var initialQP = 26
    package var chromaQPOffset = 0
    package var deblockingControl = false
    package var constrainedIntra = false
    package var redundantPictures = false
    package var transform8x8 = false
    package var hasScalingMatrix = false
    /// The offset of Cr.
    package var secondChromaQPOffset = 0

    /// Parses a NAL unit of type 8; nil if it is damaged.
    /// - Parameter chromaFormat: of its sequence parameter set.
    package init?(_ nal: ArraySlice<UInt8>, chromaFormat: Int = 1) {
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
