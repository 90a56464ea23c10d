// FontFile: the bytes of a font file, the families in it and the characters it has glyphs for. A value.
internal import CAss

/// A font file in memory.
public struct FontFile: Hashable, Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// The families of its fonts.
    public let families: [String]

    /// Nil if the bytes are no font that FreeType can read.
    public init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        var families: [String] = []
        unsafe FontFile.faces(of: bytes) { face in
            if let name = unsafe trim_ft_family(face) { unsafe families.append(String(cString: name)) }
            return true
        }
        guard !families.isEmpty else { return nil }
        self.families = families
    }

    /// The characters of a text for which none of the fonts has a glyph, each once. Spaces and what is not drawn by itself count as
    /// known.
    public static func missing(in text: String, from fonts: [FontFile]) -> [Unicode.Scalar] {
        var open = Set(text.unicodeScalars.filter { !FontFile.isInvisible($0) })
        for font in fonts where !open.isEmpty {
            unsafe faces(of: font.bytes) { face in
                open = open.filter { unsafe FT_Get_Char_Index(face, FT_ULong($0.value)) == 0 }
                return !open.isEmpty
            }
        }
        return open.sorted { $0.value < $1.value }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned:
            return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }

    /// Opens the fonts of a file one after another while `body` returns true.
    private static func faces(of bytes: [UInt8], _ body: (FT_Face) -> Bool) {
        var made: FT_Library?
        guard unsafe FT_Init_FreeType(&made) == 0, let library = unsafe made else { return }
        defer { unsafe _ = FT_Done_FreeType(library) }
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var index = 0, count = 1
            while index < count,
                let face = unsafe trim_ft_face(library, buffer.baseAddress, buffer.count, index)
            {
                defer { unsafe _ = FT_Done_Face(face) }
                count = unsafe trim_ft_count(face)
                guard unsafe body(face) else { return }
                index += 1
            }
        }
    }
}
