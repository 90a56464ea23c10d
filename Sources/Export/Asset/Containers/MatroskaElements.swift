// Reads facts of a Matroska or WebM file that FFmpeg does not report: whether it is complete, and which tracks are encrypted.
// Reads the top-level element headers and the track list; never media, never writes.
internal import Libav

/// Facts from the elements of a file (RFC 9559).
struct MatroskaElements {
    /// Whether each video, audio or text track is encrypted, in file order, which is FFmpeg's.
    private(set) var isEncrypted: [Bool] = []
    /// Where the file would end, according to its elements.
    private(set) var end: Int64 = 0

    /// An element: the offset of its content, and its size; nil: to the end of its parent.
    private struct Head {
        var id: UInt32
        var body: Int64
        var size: Int64?
    }
    private enum ID {
        static let segment: UInt32 = 0x1853_8067, cluster: UInt32 = 0x1F43_B675, tracks: UInt32 = 0x1654_AE6B
        static let track: UInt32 = 0xAE, type: UInt32 = 0x83, codec: UInt32 = 0x86
        static let encodings: UInt32 = 0x6D80, encoding: UInt32 = 0x6240, encryption: UInt32 = 0x5035
        static let header: UInt32 = 0x1A45_DFA3
    }

    /// A longer track list is not read: lists take a few kilobytes, and fonts and images are stored elsewhere.
    private static let longestTracks: Int64 = 16 << 20
    /// Maximum number of top-level elements: three days at one cluster per second.
    private static let mostElements = 300_000

    /// Reads a source; nil if it does not begin as such a file.
    init?(_ source: SourceFile) {
        guard let first = MatroskaElements.head(source, at: 0), first.id == ID.header, let size = first.size,
            let segment = MatroskaElements.head(source, at: first.body + size), segment.id == ID.segment
        else { return nil }
        // A recording that was never stopped does not give its total size; its elements may.
        let limit = segment.size.map { segment.body + $0 }
        end = limit ?? 0
        var place = segment.body
        var hasTracks = false
        for _ in 0..<MatroskaElements.mostElements where place < min(limit ?? .max, source.size) {
            guard let element = MatroskaElements.head(source, at: place), let size = element.size else {
                return
            }
            let (next, overflow) = element.body.addingReportingOverflow(size)
            guard !overflow else { return }
            if element.id == ID.tracks, !hasTracks, size <= MatroskaElements.longestTracks {
                hasTracks = true
                readTracks(source.bytes(at: element.body, count: Int(size))[...])
            }
            if limit == nil { end = max(end, next) } else if hasTracks { return }
            place = next
        }
    }

    private mutating func readTracks(_ bytes: ArraySlice<UInt8>) {
        MatroskaElements.forEach(in: bytes) { id, entry in
            guard id == ID.track else { return }
            var (type, hasCodec, isProtected) = (UInt64(0), false, false)
            MatroskaElements.forEach(in: entry) { id, body in
                switch id {
                case ID.type: type = body.reduce(0) { $0 << 8 | UInt64($1) }
                case ID.codec: hasCodec = !body.isEmpty
                case ID.encodings:
                    MatroskaElements.forEach(in: body) { id, encoding in
                        guard id == ID.encoding else { return }
                        MatroskaElements.forEach(in: encoding) { id, _ in
                            if id == ID.encryption { isProtected = true }
                        }
                    }
                default: break
                }
            }
            // FFmpeg makes no stream of other types: video, audio, subtitles, metadata.
            if [1, 2, 17, 33].contains(type), hasCodec { isEncrypted.append(isProtected) }
        }
    }

    // MARK: EBML (RFC 8794)

    private static func head(_ source: SourceFile, at place: Int64) -> Head? {
        let bytes = source.bytes(at: place, count: 12)
        guard let (id, size, length) = head(bytes[...]) else { return nil }
        return Head(id: id, body: place + Int64(length), size: size)
    }

    /// The id and size of an element, and the length of its header in bytes.
    private static func head(_ bytes: ArraySlice<UInt8>) -> (id: UInt32, size: Int64?, length: Int)? {
        guard let first = bytes.first, first.leadingZeroBitCount < 4 else { return nil }
        let idLength = first.leadingZeroBitCount + 1
        let rest = bytes.dropFirst(idLength)
        guard let second = rest.first, second.leadingZeroBitCount < 8 else { return nil }
        let length = second.leadingZeroBitCount + 1
        guard rest.count >= length else { return nil }
        let id = bytes.prefix(idLength).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let marked = rest.prefix(length).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let mask = (UInt64(1) << UInt64(7 * length)) - 1
        let size = marked & mask
        return (id, size == mask ? nil : Int64(size), idLength + length)
    }

    private static func forEach(
        in bytes: ArraySlice<UInt8>, _ body: (UInt32, ArraySlice<UInt8>) -> Void
    ) {
        var rest = bytes
        while let (id, size, length) = head(rest) {
            rest = rest.dropFirst(length)
            let count = Int(clamping: size ?? Int64(rest.count))
            guard count <= rest.count else { return }
            body(id, rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }
}
