// Pairs the packets that hold the two fields of one frame, by the rule of decoders: the second follows the first, has the
// opposite parity and the same number. HEVC fields are decoded in any order and stay separate packets: the first field of a frame
// is the one with the parity of key pictures. Pure.

/// Follows the packets of one track in decoding order.
package struct FieldPairing: Sendable {
    /// The relation of a packet to the previous one.
    package enum Role: Equatable, Sendable {
        /// A frame, or both its fields.
        case whole
        /// One field that may be followed by its other field.
        case first
        /// The other field of the previous packet.
        case second
        /// One field that stays a separate packet: the first or the second of its frame.
        case separate(isSecond: Bool)
    }
    private var syntax: any FieldSyntax
    /// The previous field, if still unpaired.
    private var open: CodedField?
    /// The first fields of frames have the lines 1, 3, 5 …; nil before a frame of two coded fields has been read.
    package private(set) var isBottomFirst: Bool?

    /// Nil if no packet of the track can be a field.
    package init?(codec: String, extradata: [UInt8]) {
        guard let syntax = VideoCodecs.named(codec).fieldSyntax(extradata: extradata) else { return nil }
        self.syntax = syntax
    }

    /// Classifies the next packet.
    /// - Parameter isKey: decoding can begin with it.
    package mutating func role(_ packet: [UInt8], isKey: Bool = false) -> Role {
        let picture = syntax.read(packet)
        if type(of: syntax).areSeparate {
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

    /// Resets the state after a seek.
    package mutating func interrupt() { open = nil }
}
