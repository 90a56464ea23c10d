// Finds where sound files say that they end: FFmpeg reads those that break off as if they were whole, and says nothing. Reads headers
// and the last page; never media.
internal import ISOMedia
internal import Libav

/// Where a sound file ends, according to itself.
enum DeclaredEnd {
    /// The place of the byte after its last, by its headers; nil if they do not say.
    /// - Parameter format: FFmpeg's name of the container's format.
    static func of(_ source: SourceFile, format: String) -> Int64? {
        guard source.segments == nil else { return nil }
        return switch format {
        case "wav": wave(source)
        case "w64": wave64(source)
        case "aiff": aiff(source)
        case "caf": coreAudio(source)
        case "mp3": mp3(source)
        case "ogg": ogg(source)
        default: nil
        }
    }

    /// A file has few chunks; a damaged one could have any number.
    private static let mostChunks = 10_000

    /// The name, content and size of each chunk of a file, until `body` returns one's end.
    /// - Parameters:
    ///   - header: bytes of a chunk's header.
    ///   - evenness: chunks begin at multiples of it.
    private static func chunks(
        _ source: SourceFile, from start: Int64, header: Int, evenness: Int64,
        size: ([UInt8]) -> UInt64,
        until body: (_ header: [UInt8], _ content: Int64, _ size: UInt64) -> Int64??
    ) -> Int64? {
        var place = start
        for _ in 0..<mostChunks {
            let head = source.bytes(at: place, count: header)
            guard head.count == header else { return nil }
            let (content, size) = (place + Int64(header), size(head))
            if let end = body(head, content, size) { return end }
            guard size < UInt64(Int64.max / 2) else { return nil }
            place = content + Int64(size)
            place += (evenness - place % evenness) % evenness
        }
        return nil
    }

    private static func little(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
        BigEndian.value(bytes.reversed())
    }

    private static func name(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(4), as: UTF8.self)
    }

    /// Whether a size of 32 bits is none: programs that cannot go back, such as those that write to a pipe, write the largest one, or
    /// (SoX, to whole samples) 0x7FFFF000, and 0x7F000000 in AIFF.
    private static func isUnknown(_ size: UInt64) -> Bool {
        size == 0 || 0x7FFF_0000...0x8000_0000 ~= size || 0xFFFF_0000...0xFFFF_FFFF ~= size
            || 0x7EFF_0000...0x7F00_0010 ~= size
    }

    /// RIFF, and RF64 with sizes of 64 bits (EBU Tech 3306).
    private static func wave(_ source: SourceFile) -> Int64? {
        var large: UInt64?
        return chunks(source, from: 12, header: 8, evenness: 2, size: { little($0[4...]) }) {
            header, content, size in
            if name(header) == "ds64" {
                large = little(source.bytes(at: content + 8, count: 8))
            }
            guard name(header) == "data" else { return nil }
            guard size == 0xFFFF_FFFF, let large else {
                return .some(isUnknown(size) ? nil : content + Int64(size))
            }
            return .some(end(content, large))
        }
    }

    /// Sony's Wave64: names of 16 bytes, and sizes that count the header.
    private static func wave64(_ source: SourceFile) -> Int64? {
        chunks(
            source, from: 40, header: 24, evenness: 8, size: { max(24, little($0[16...])) - 24 }
        ) { header, content, size in
            name(header) == "data" ? .some(end(content, size)) : nil
        }
    }

    private static func aiff(_ source: SourceFile) -> Int64? {
        chunks(source, from: 12, header: 8, evenness: 2, size: { BigEndian.value($0[4...]) }) {
            header, content, size in
            name(header) == "SSND" ? .some(isUnknown(size) ? nil : content + Int64(size)) : nil
        }
    }

    /// Apple's Core Audio Format: -1 is the size of data that goes on to the end.
    private static func coreAudio(_ source: SourceFile) -> Int64? {
        chunks(source, from: 8, header: 12, evenness: 1, size: { BigEndian.value($0[4...]) }) {
            header, content, size in
            name(header) == "data" ? .some(end(content, size)) : nil
        }
    }

    private static func end(_ content: Int64, _ size: UInt64) -> Int64? {
        let (end, overflow) = content.addingReportingOverflow(Int64(clamping: size))
        return overflow || size == 0 || size > UInt64(Int64.max) ? nil : end
    }

    // MARK: MP3

    /// Programs differ in what they count of the first frame and of tags.
    private static let mp3Slack: Int64 = 4096

    /// The bytes that the note in the first frame counts, by LAME (Xing, Info) or Fraunhofer (VBRI).
    private static func mp3(_ source: SourceFile) -> Int64? {
        var place: Int64 = 0
        // Tags (ID3v2) precede it: ten bytes, of which the last four are seven bits of the tag's size each.
        for _ in 0..<8 {
            let tag = source.bytes(at: place, count: 10)
            guard tag.count == 10, tag.starts(with: Array("ID3".utf8)) else { break }
            place += 10 + tag[6...].reduce(0) { $0 << 7 | Int64($1 & 0x7F) } + (tag[5] & 0x10 != 0 ? 10 : 0)
        }
        let frame = source.bytes(at: place, count: 64)
        guard let parts = MP3Frame(frame) else { return nil }
        // Both stand where the checksum would not move them.
        let note = frame.dropFirst(4 + parts.sideBytes)
        let counted: UInt64
        if ["Xing", "Info"].contains(name(note)), note.count >= 16,
            note.dropFirst(7).first.map({ $0 & 2 != 0 }) == true
        {
            let hasFrames = note.dropFirst(7).first.map { $0 & 1 != 0 } ?? false
            counted = BigEndian.value(note.dropFirst(hasFrames ? 12 : 8).prefix(4))
        } else if name(frame.dropFirst(36)) == "VBRI" {
            counted = BigEndian.value(frame.dropFirst(46).prefix(4))
        } else {
            return nil
        }
        let end = place + Int64(counted)
        return counted > 0 && end - source.size > mp3Slack ? end : nil
    }

    // MARK: Ogg

    /// A page with its header (RFC 3533, 6): 27 bytes, as many as 255 sizes of segments, and the segments.
    private static let longestPage = 27 + 255 + 255 * 255

    /// Where the last page ends that begins in the file.
    private static func ogg(_ source: SourceFile) -> Int64? {
        let from = max(0, source.size - Int64(longestPage))
        let tail = source.bytes(at: from, count: longestPage)
        let mark = Array("OggS".utf8) + [0]
        guard tail.count > mark.count,
            let page = (0...(tail.count - mark.count)).last(where: { tail[$0...].starts(with: mark) })
        else { return nil }
        let start = from + Int64(page)
        guard page + 27 <= tail.count else { return start + 27 }
        let count = Int(tail[page + 26])
        let sizes = tail[(page + 27)...].prefix(count)
        return start + 27 + Int64(count) + sizes.reduce(0) { $0 + Int64($1) }
    }
}
