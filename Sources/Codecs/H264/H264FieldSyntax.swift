// Fields of H.264, from its slice headers (ITU-T H.264, 7.3.3). Pure.

/// Parses H.264 slice headers as far as needed for fields.
struct H264FieldSyntax: FieldSyntax {
    /// The values needed to parse a slice header.
    private struct Sequence: Sendable {
        var frameNumberBits: Int
        var hasColourPlanes: Bool
        var mayHaveFields: Bool
    }
    private let framing: NALFraming
    private var sequences: [Int: Sequence] = [:]
    /// Sequence parameter set ids by picture parameter set id.
    private var pictures: [Int: Int] = [:]

    /// Nil if the track has only frames.
    init?(extradata: [UInt8]) {
        framing = H264Codec.framing(extradata: extradata)
        let sets = H264ParameterSets(extradata: extradata[...])
        for sequence in sets.sequences { add(sequence.set) }
        for picture in sets.pictures { pictures[picture.set.id] = picture.set.sequenceID }
        if !sequences.isEmpty, !sequences.values.contains(where: \.mayHaveFields) { return nil }
    }

    private mutating func add(_ set: H264SequenceSet) {
        sequences[set.id] = Sequence(
            frameNumberBits: set.log2MaxFrameNum, hasColourPlanes: set.separateColourPlane,
            mayHaveFields: !set.frameMBsOnly)
    }

    mutating func read(_ packet: [UInt8]) -> CodedPicture {
        var found: CodedField?
        for nal in NALUnits(packet[...], framing: framing) {
            switch (nal.first ?? 0) & 31 {
            case 1, 2, 5:
                guard let field = field(nal) else { return .frame }
                if let found, found.isBottom != field.isBottom {
                    return .fields(isBottomFirst: found.isBottom)
                }
                found = found ?? field
            case 7: if let set = H264SequenceSet(nal) { add(set) }
            case 8:
                var reader = reader(nal)
                let (id, sequence) = (reader.ue(), reader.ue())
                if !reader.isDamaged, id <= 255, sequence <= 31 { pictures[id] = sequence }
            default: break
            }
        }
        return found.map(CodedPicture.field) ?? .frame
    }

    private func reader(_ nal: ArraySlice<UInt8>) -> BitReader {
        BitReader(EmulationPrevention.unescape(nal.dropFirst(), limit: AccessUnit.headerLimit))
    }

    /// The field a slice belongs to; nil if it belongs to a frame or cannot be parsed.
    private func field(_ nal: ArraySlice<UInt8>) -> CodedField? {
        var reader = reader(nal)
        _ = reader.ue()  // first_mb_in_slice
        _ = reader.ue()  // slice_type
        guard let sequence = pictures[reader.ue()].flatMap({ sequences[$0] }), sequence.mayHaveFields else {
            return nil
        }
        if sequence.hasColourPlanes { reader.skip(2) }
        let number = reader.bits(sequence.frameNumberBits)
        guard reader.bit() else { return nil }
        let isBottom = reader.bit()
        return reader.isDamaged
            ? nil : CodedField(isBottom: isBottom, number: number, isIDR: (nal.first ?? 0) & 31 == 5)
    }
}
