// SteeringCharacters: the one table of characters that are not seen and steer whoever shows them: a terminal, or the direction
// of a line. Names and metadata come from strangers: in JSON and XML such characters are escaped, on a terminal replaced. Pure.

extension Unicode.Scalar {
    /// Not seen, and steers.
    public var isSteering: Bool {
        switch value {
        // Controls: C0, DEL and C1, which a terminal takes for the beginning of an order (U+009B is ESC [).
        case 0x00...0x1F, 0x7F...0x9F: true
        // The direction of writing: marks, embeddings, overrides, isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Line and paragraph separator: line ends to some readers of JSON.
        case 0x2028, 0x2029: true
        // Outdated controls of shapes, annotations, a byte order mark in the middle.
        case 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}
