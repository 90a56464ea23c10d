// The links of a chained Ogg file (RFC 3533, 4): streams that follow one another, each with its own headers, as radio servers and plain
// concatenation make them. Reads the headers of pages; decodes nothing.
internal import Libav

/// The links of an Ogg file.
struct OggLinks {
    /// The bytes of each, in order; one: the file is not chained.
    private(set) var ranges: [Range<Int64>] = []

    /// Files up to this size are read whole. Of larger ones, those count as chained whose last page belongs to none of the streams at
    /// the beginning, as its serial numbers say.
    private static let mostBytes: Int64 = 256 << 20
    /// How many bytes are read at a time, and the most of a page.
    private static let block = 1 << 20, page = 27 + 255 + 255 * 255

    /// Whether bytes begin an Ogg page.
    static func begins(_ head: [UInt8]) -> Bool { head.starts(with: magic) }

    private static let magic = Array("OggS".utf8)

    /// A page's header.
    private struct Page {
        var isBeginning: Bool
        var serial: UInt32
        var length: Int

        /// - Parameter at: where it begins in the bytes; nil if there is none, or its header is not whole.
        init?(_ bytes: ArraySlice<UInt8>, at: Int) {
            guard at + 27 <= bytes.endIndex, bytes[at...].starts(with: OggLinks.magic) else { return nil }
            let count = Int(bytes[at + 26])
            guard at + 27 + count <= bytes.endIndex else { return nil }
            isBeginning = bytes[at + 5] & 2 != 0
            serial = (0..<4).reduce(0) { $0 | UInt32(bytes[at + 14 + $1]) << (8 * UInt32($1)) }
            length = 27 + count + bytes[(at + 27)..<(at + 27 + count)].reduce(0) { $0 + Int($1) }
        }
    }

    init(_ source: SourceFile) {
        var serials: Set<UInt32> = []
        var start: Int64 = 0
        var isInHeaders = true
        let last = OggLinks.lastSerial(source)
        var isRead = source.size <= OggLinks.mostBytes
        OggLinks.walk(source) { page, at in
            if page.isBeginning, !isInHeaders {
                ranges.append(start..<at)
                start = at
                serials = []
            }
            isInHeaders = page.isBeginning
            if page.isBeginning { serials.insert(page.serial) }
            if !isInHeaders, !isRead {
                isRead = true
                if let last, serials.contains(last) { return false }
            }
            return true
        }
        ranges.append(start..<source.size)
    }

    /// The stream of the last page.
    private static func lastSerial(_ source: SourceFile) -> UInt32? {
        let length = min(source.size, Int64(2 * page))
        let bytes = source.bytes(at: source.size - length, count: Int(length))
        return bytes.indices.reversed().lazy.compactMap { at in
            bytes[at] == magic[0] ? Page(bytes[...], at: at)?.serial : nil
        }.first
    }

    /// Calls `body` with each page and where it begins, while it returns true. Bytes that are no page are passed over.
    private static func walk(_ source: SourceFile, _ body: (Page, Int64) -> Bool) {
        var from: Int64 = 0
        while from < source.size {
            let bytes = source.bytes(at: from, count: block)
            guard !bytes.isEmpty else { return }
            var at = 0
            while at < bytes.count {
                guard let page = Page(bytes[...], at: at) else {
                    guard at + OggLinks.page < bytes.count || from + Int64(bytes.count) >= source.size else {
                        break
                    }
                    at += 1
                    continue
                }
                guard body(page, from + Int64(at)) else { return }
                at += page.length
            }
            from += Int64(max(at, 1))
        }
    }
}
