// Converts a display matrix to a rotation in quarter turns and mirroring. Pure.

/// Interprets the nine fixed-point numbers of a display matrix.
enum DisplayMatrix {
    /// Clockwise rotation in degrees, to the nearest quarter turn, and whether to mirror horizontally after it.
    static func orientation(_ matrix: [Int32]?) -> (rotation: Int, isMirrored: Bool) {
        guard let m = matrix, m.count == 9 else { return (0, false) }
        let (a, b, c, d) = (Int128(m[0]), Int128(m[1]), Int128(m[3]), Int128(m[4]))
        guard a != 0 || b != 0 || c != 0 || d != 0 else { return (0, false) }
        // The matrix maps a picture's x axis to (a, b) and its y axis to (c, d), y downwards.
        let isMirrored = a * d - b * c < 0
        // Mirrored horizontally after the rotation: undo it on the x coordinates, then read the rotation.
        let (x, y) = isMirrored ? (-a, b) : (a, b)
        if abs(x) >= abs(y) { return (x >= 0 ? 0 : 180, isMirrored) }
        return (y > 0 ? 90 : 270, isMirrored)
    }
}
