// The headers of Theora and Vorbis, as FFmpeg stores them. Pure.

/// The three headers of a Xiph codec, as FFmpeg stores them: a two-byte size before each, or all sizes first as in Matroska.
package struct XiphHeaders {
    package private(set) var identification: [UInt8] = []
    package private(set) var setup: [UInt8] = []

    package init?(_ bytes: [UInt8]) {
        let parts = bytes.first == 2 ? XiphHeaders.laced(bytes) : XiphHeaders.counted(bytes)
        guard let parts, parts.count == 3 else { return nil }
        (identification, setup) = (parts[0], parts[2])
    }

    private static func counted(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        var parts: [[UInt8]] = []
        while parts.count < 3 {
            let size = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(2)
            guard size > 0, rest.count >= size else { return nil }
            parts.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return parts
    }

    private static func laced(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes.dropFirst()
        var sizes: [Int] = []
        while sizes.count < 2 {
            let full = rest.prefix { $0 == 255 }.count
            guard let last = rest.dropFirst(full).first else { return nil }
            sizes.append(full * 255 + Int(last))
            rest = rest.dropFirst(full + 1)
        }
        guard rest.count > sizes[0] + sizes[1] else { return nil }
        return [
            Array(rest.prefix(sizes[0])), Array(rest.dropFirst(sizes[0]).prefix(sizes[1])),
            Array(rest.dropFirst(sizes[0] + sizes[1])),
        ]
    }
}
