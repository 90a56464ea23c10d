// Theora: three headers, stored by the container, hold the tables with which all frames are coded. Only an encoder with the same
// tables can join.
internal import Libav
internal import Media

/// Uses libtheora.
enum TheoraHeadTail: HeadTailCodec {
    static let names: Set<String> = ["theora"]

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        var setup = edge.quantised("libtheora")
        setup.hasGlobalHeader = true
        // The finest of ten steps, in units of the coarsest quantiser.
        setup.options = [("flags", "+qscale"), ("global_quality", "1180")]
        guard let theirs = XiphHeaders(stored.header) else { throw edge.refused("its headers are damaged") }
        guard let own = XiphHeaders(try edge.header(of: setup)) else {
            throw edge.refused("its encoder makes no headers")
        }
        guard own.setup == theirs.setup else {
            throw edge.refused(
                "its tables are not those of libtheora 1.1, and one header holds the tables of all frames")
        }
        guard place(own.identification) == place(theirs.identification) else {
            throw edge.refused("its picture region is not where libtheora puts it")
        }
        return HeadTailJoin(setup: setup, scheme: .match)
    }

    /// The fields of the identification header that affect decoding: version, sizes, picture region and pixel format; not frame
    /// rate and bit rate, nor Ogg's granule shift (Theora specification, 6.2).
    private static func place(_ header: [UInt8]) -> [UInt8]? {
        guard header.count >= 42 else { return nil }
        return Array(header[7..<9] + header[10..<22]) + [header[41] >> 3 & 3]
    }
}

/// The three headers of a Xiph codec, as FFmpeg stores them: a two-byte size before each, or all sizes first as in Matroska.
struct XiphHeaders {
    private(set) var identification: [UInt8] = []
    private(set) var setup: [UInt8] = []

    init?(_ bytes: [UInt8]) {
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
