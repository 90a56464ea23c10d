// Which two packets of a track are the fields of one frame, by the rule by which decoders pair them: the second follows the
// first, has the other lines and the same number. Fields of HEVC are decoded in any order, and stay packets of their own: of a
// frame's two that one is first which has the lines that key pictures have. Pure.

/// Follows the packets of one track in decoding order.
struct FieldPairing: Sendable {
    /// What a packet is to the one before it.
    enum Place: Equatable, Sendable {
        /// A frame, or both its fields.
        case whole
        /// One field, whose other one may follow.
        case first
        /// The other field of the packet before it.
        case second
        /// One field that stays a packet of its own: the first or the second of its frame.
        case separate(isSecond: Bool)
    }
    private var syntax: FieldSyntax
    /// The field before, where it has no other one yet.
    private var open: CodedField?
    /// The first fields of frames have the lines 1, 3, 5 …; nil while no frame of two coded fields has been seen.
    private(set) var isBottomFirst: Bool?

    /// Nil where no packet of the track can be a field.
    init?(codec: String, extradata: [UInt8]) {
        guard let codec = BitstreamCodec(codec),
            let syntax = FieldSyntax(codec: codec, extradata: extradata)
        else { return nil }
        self.syntax = syntax
    }

    /// What the next packet is.
    /// - Parameter isKey: decoding can begin with it.
    mutating func place(_ packet: [UInt8], isKey: Bool = false) -> Place {
        let picture = syntax.read(packet)
        if case .hevc = syntax {
            guard case .field(let field) = picture else { return .whole }
            if isKey { isBottomFirst = isBottomFirst ?? field.isBottom }
            return .separate(isSecond: field.isBottom != isBottomFirst ?? field.isBottom)
        }
        guard case .field(let field) = picture else {
            if case .fields(let order) = picture { isBottomFirst = isBottomFirst ?? order }
            open = nil
            return .whole
        }
        if let first = open, first.isBottom != field.isBottom, first.number == field.number,
            first.isIDR || !field.isIDR
        {
            isBottomFirst = isBottomFirst ?? first.isBottom
            open = nil
            return .second
        }
        open = field
        return .first
    }

    /// What follows does not follow what came before: the reader has gone elsewhere.
    mutating func interrupt() { open = nil }
}
