// Determines whether a packet holds a frame or one field, from its slice or picture headers (ITU-T H.264, 7.3.3; H.262, 6.3.10).
// Pure.

/// One separately coded field. HEVC fields refer to each other in any order, so a frame's two may be apart: only their parity is
/// known.
struct CodedField: Equatable, Sendable {
    /// It has the lines 1, 3, 5 … of the frame.
    var isBottom: Bool
    /// Equal for both fields of a frame: frame_num of H.264, temporal_reference of MPEG-2.
    var number: Int
    /// It decodes without earlier pictures. H.264 only.
    var isIDR = false
}

/// The pictures of a packet.
enum CodedPicture: Equatable, Sendable {
    /// A frame, or unknown.
    case frame
    /// Both fields of a frame.
    case fields(isBottomFirst: Bool)
    /// One field.
    case field(CodedField)
}

/// Parses the headers that identify fields. Follows a track in decoding order, since parameter sets may come with any packet.
enum FieldSyntax: Sendable {
    case h264(H264FieldSyntax)
    case hevc(HEVCFieldSyntax)
    case mpeg2

    /// Nil if no packet of the track can be a field.
    init?(codec: BitstreamCodec, extradata: [UInt8]) {
        switch codec {
        case .h264:
            guard let syntax = H264FieldSyntax(extradata: extradata) else { return nil }
            self = .h264(syntax)
        case .mpeg2: self = .mpeg2
        case .hevc:
            guard let syntax = HEVCFieldSyntax(extradata: extradata) else { return nil }
            self = .hevc(syntax)
        }
    }

    /// Classifies the next packet.
    mutating func read(_ packet: [UInt8]) -> CodedPicture {
        switch self {
        case .mpeg2: return FieldSyntax.readMPEG2(packet)
        case .h264(var syntax):
            defer { self = .h264(syntax) }
            return syntax.read(packet)
        case .hevc(var syntax):
            defer { self = .hevc(syntax) }
            return syntax.read(packet)
        }
    }

    private static func readMPEG2(_ packet: [UInt8]) -> CodedPicture {
        var (number, first): (Int?, CodedField?)
        for unit in NALUnits(packet[...], framing: .annexB) {
            let body = Array(unit.dropFirst().prefix(4)) + [0, 0, 0, 0]
            switch unit.first {
            case 0x00:
                if let first { return .fields(isBottomFirst: first.isBottom) }
                number = Int(body[0]) << 2 | Int(body[1] >> 6)
            case 0xB5 where body[0] >> 4 == 8 && first == nil:
                // The picture coding extension: 3 is a frame, 1 the top field, 2 the bottom field.
                guard let number, body[2] & 3 != 3 else { return .frame }
                first = CodedField(isBottom: body[2] & 3 == 2, number: number)
            default: break
            }
        }
        return first.map(CodedPicture.field) ?? .frame
    }
}

/// Parses H.264 slice headers as far as needed for fields.
struct H264FieldSyntax: Sendable {
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
    /// The part of a slice header that is parsed is shorter than this, in bytes.
    private static let headerLimit = 32

    /// Nil if the track has only frames.
    init?(extradata: [UInt8]) {
        framing = NALFraming(extradata: extradata, codec: .h264)
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
        BitReader(EmulationPrevention.unescape(nal.dropFirst(), limit: H264FieldSyntax.headerLimit))
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
