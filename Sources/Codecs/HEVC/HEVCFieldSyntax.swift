// Fields of HEVC, from its picture timing messages (ITU-T H.265, D.2.3). Pure.

/// Parses the HEVC messages that identify fields.
struct HEVCFieldSyntax: FieldSyntax {
    static let areSeparate = true
    private let framing: NALFraming
    private var isActive: Bool

    /// Nil if the track has only frames.
    init?(extradata: [UInt8]) {
        framing = HEVCCodec.framing(extradata: extradata)
        let sets = HEVCParameterSets(extradata: extradata[...]).sequences.compactMap {
            HEVCSequenceSet($0[...])
        }
        isActive = sets.contains { $0.fields.isFieldSequence && $0.fields.hasStructure }
        if !sets.isEmpty, !isActive { return nil }
    }

    /// Classifies the picture of the next packet.
    mutating func read(_ packet: [UInt8]) -> CodedPicture {
        for nal in NALUnits(packet[...], framing: framing) {
            switch (nal.first ?? 0) >> 1 & 63 {
            case 0...31: return .frame
            case 33:
                if let set = HEVCSequenceSet(nal) {
                    isActive = set.fields.isFieldSequence && set.fields.hasStructure
                }
            case 39 where isActive:
                for message in SEIMessage.all(in: EmulationPrevention.unescape(nal.dropFirst(2)))
                where message.type == 1 {
                    switch (message.payload.first ?? 0) >> 4 {
                    case 1, 9, 11: return .field(CodedField(isBottom: false, number: 0))
                    case 2, 10, 12: return .field(CodedField(isBottom: true, number: 0))
                    default: return .frame
                    }
                }
            default: break
            }
        }
        return .frame
    }
}
