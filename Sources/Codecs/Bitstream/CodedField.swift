// Determines whether a packet holds a frame or one field, from its slice or picture headers (ITU-T H.264, 7.3.3; H.262, 6.3.10).
// Pure.

/// One separately coded field. HEVC fields refer to each other in any order, so a frame's two fields may not be consecutive: only
/// their parity is known.
package struct CodedField: Equatable, Sendable {
    /// It has the lines 1, 3, 5 … of the frame.
    package var isBottom: Bool
    /// Equal for both fields of a frame: frame_num of H.264, temporal_reference of MPEG-2.
    package var number: Int
    /// It decodes without earlier pictures. H.264 only.
    package var isIDR = false
}

/// The pictures of a packet.
package enum CodedPicture: Equatable, Sendable {
    /// A frame, or unknown.
    case frame
    /// Both fields of a frame.
    case fields(isBottomFirst: Bool)
    /// One field.
    case field(CodedField)
}

/// Parses the headers that identify fields. Follows a track in decoding order, since parameter sets may come with any packet.
package protocol FieldSyntax: Sendable {
    /// A frame's two fields are separate pictures that are decoded in any order.
    static var areSeparate: Bool { get }
    /// Classifies the next packet.
    mutating func read(_ packet: [UInt8]) -> CodedPicture
}

extension FieldSyntax {
    package static var areSeparate: Bool { false }
}
