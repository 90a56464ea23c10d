// SteeringCharacters: the table of invisible characters that control a terminal or the direction of text. Names and metadata
// are untrusted: JSON and XML escape such characters, terminal output replaces them. Pure.

extension Unicode.Scalar {
    /// Whether it is invisible and controls its display.
    public var isSteering: Bool {
        switch value {
        // Controls: C0, DEL and C1, which can start a terminal escape sequence (U+009B is ESC [).
        case 0x00...0x1F, 0x7F...0x9F: true
        // Text direction: marks, embeddings, overrides, isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Line and paragraph separator: line ends to some JSON parsers.
        case 0x2028, 0x2029: true
        // Deprecated format controls, annotations, a byte order mark in the middle.
        case 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}
