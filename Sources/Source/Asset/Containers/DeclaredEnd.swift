// Finds where sound files say that they end: FFmpeg reads those that break off as if they were whole, and says nothing. Reads headers
// and the last page, never media; keeps nothing.
internal import Codecs
internal import ISOMedia
internal import Libav

/// Where a sound file ends, according to itself.
enum DeclaredEnd {
    /// The place of the byte after its last, by its headers; nil if they do not say.
    /// - Parameter format: FFmpeg's name of the container's format.
    static func of(_ source: SourceFile, format: String) -> Int64? {
        guard source.isOneFile else { return nil }
        return switch format {
        case "wav": wave(source)
        case "w64": chunk("data", of: source, .wave64).flatMap(end)
        case "aiff": aiff(source)
        case "caf": chunk("data", of: source, .coreAudio).flatMap(end)
        case "mp3": mp3(source)
        case "ogg": ogg(source)
        default: nil
        }
    }

    /// A file has few chunks; a damaged one could have any number.
    private static let mostChunks = 10_000

    /// How the chunks of a file are written.
    private struct Chunks: Sendable {
        /// Where the first one begins, and at multiples of which number of bytes the others do.
        var start: Int64, evenness: Int64
        /// Bytes of a header, which begins with the name, and the size that it says.
        var header: Int, size: @Sendable ([UInt8]) -> UInt64

        static let riff = Chunks(start: 12, evenness: 2, header: 8) { little($0[4...]) }
        static let aiff = Chunks(start: 12, evenness: 2, header: 8) { BigEndian.value($0[4...]) }
        static let coreAudio = Chunks(start: 8, evenness: 1, header: 12) { BigEndian.value($0[4...]) }
        /// Sony's Wave64: names of 16 bytes, and sizes that count the header.
        static let wave64 = Chunks(start: 40, evenness: 8, header: 24) { max(24, little($0[16...])) - 24 }
    }

    /// Where the content of the first chunk of a name begins, and its size; nil: there is none.
    private static func chunk(
        _ name: String, of source: SourceFile, _ chunks: Chunks
    ) -> (content: Int64, size: UInt64)? {
        var place = chunks.start
        for _ in 0..<mostChunks {
            let head = source.bytes(at: place, count: chunks.header)
            guard head.count == chunks.header else { return nil }
            let (content, size) = (place + Int64(chunks.header), chunks.size(head))
            if self.name(head) == name { return (content, size) }
            guard size < UInt64(Int64.max / 2) else { return nil }
            place = content + Int64(size)
            place += (chunks.evenness - place % chunks.evenness) % chunks.evenness
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
        guard let data = chunk("data", of: source, .riff) else { return nil }
        if data.size == 0xFFFF_FFFF, let large = chunk("ds64", of: source, .riff) {
            return end((data.content, little(source.bytes(at: large.content + 8, count: 8))))
        }
        return isUnknown(data.size) ? nil : end(data)
    }

    private static func aiff(_ source: SourceFile) -> Int64? {
        chunk("SSND", of: source, .aiff).flatMap { isUnknown($0.size) ? nil : end($0) }
    }

    /// Nil where the chunk has no size, such as -1 in Core Audio's format.
    private static func end(_ chunk: (content: Int64, size: UInt64)) -> Int64? {
        let (end, overflow) = chunk.content.addingReportingOverflow(Int64(clamping: chunk.size))
        return overflow || chunk.size == 0 || chunk.size > UInt64(Int64.max) ? nil : end
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
        let flags = note.dropFirst(7).first ?? 0
        if ["Xing", "Info"].contains(name(note)), note.count >= 16, flags & 2 != 0 {
            let hasFrames = flags & 1 != 0
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
