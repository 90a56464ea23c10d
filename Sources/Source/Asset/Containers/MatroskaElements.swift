// Reads facts of a Matroska or WebM file that FFmpeg does not report: whether it is complete, and which tracks are encrypted.
// Reads the top-level element headers and the track list; never media, never writes.
internal import Libav

/// Facts from the elements of a file (RFC 9559).
struct MatroskaElements {
    /// Whether each video, audio or text track is encrypted, in file order, which is FFmpeg's.
    private(set) var isEncrypted: [Bool] = []
    /// Where the file would end, according to its elements.
    private(set) var end: Int64 = 0

    private typealias Name = MatroskaElement.Name

    /// A longer track list is not read: lists take a few kilobytes, and fonts and images are stored elsewhere.
    private static let longestTracks: Int64 = 16 << 20
    /// Maximum number of top-level elements: three days at one cluster per second.
    private static let mostElements = 300_000

    /// Reads a source; nil if it does not begin as such a file.
    init?(_ source: SourceFile) {
        guard let first = MatroskaElements.head(source, at: 0), first.id == Name.header,
            let size = first.size,
            let segment = MatroskaElements.head(source, at: first.body + size), segment.id == Name.segment
        else { return nil }
        // A recording that was never stopped does not give its total size; its elements may.
        let limit = segment.size.map { segment.body + $0 }
        end = limit ?? 0
        var offset = segment.body
        var hasTracks = false
        for _ in 0..<MatroskaElements.mostElements where offset < min(limit ?? .max, source.size) {
            guard let element = MatroskaElements.head(source, at: offset), let size = element.size else {
                return
            }
            let (next, overflow) = element.body.addingReportingOverflow(size)
            guard !overflow else { return }
            if element.id == Name.tracks, !hasTracks, size <= MatroskaElements.longestTracks {
                hasTracks = true
                readTracks(source.bytes(at: element.body, count: Int(size))[...])
            }
            if limit == nil { end = max(end, next) } else if hasTracks { return }
            offset = next
        }
    }

    private mutating func readTracks(_ bytes: ArraySlice<UInt8>) {
        MatroskaElements.forEach(in: bytes) { id, entry in
            guard id == Name.trackEntry else { return }
            var (type, hasCodec, isProtected) = (UInt64(0), false, false)
            MatroskaElements.forEach(in: entry) { id, body in
                switch id {
                case Name.trackType: type = body.reduce(0) { $0 << 8 | UInt64($1) }
                case Name.codec: hasCodec = !body.isEmpty
                case Name.encodings:
                    MatroskaElements.forEach(in: body) { id, encoding in
                        guard id == Name.encoding else { return }
                        MatroskaElements.forEach(in: encoding) { id, _ in
                            if id == Name.encryption { isProtected = true }
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

    /// An element's id, the offset of its content, and its size; nil: to the end of its parent.
    private static func head(
        _ source: SourceFile, at place: Int64
    ) -> (id: [UInt8], body: Int64, size: Int64?)? {
        MatroskaElement.Head(source.bytes(at: place, count: 12)[...]).map {
            ($0.id, place + Int64($0.length), $0.size)
        }
    }

    /// Calls `body` for each element of some bytes, up to one that does not fit.
    private static func forEach(
        in bytes: ArraySlice<UInt8>, _ body: ([UInt8], ArraySlice<UInt8>) -> Void
    ) {
        var rest = bytes
        while let head = MatroskaElement.Head(rest) {
            rest = rest.dropFirst(head.length)
            let count = Int(clamping: head.size ?? Int64(rest.count))
            guard count <= rest.count else { return }
            body(head.id, rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }
}
