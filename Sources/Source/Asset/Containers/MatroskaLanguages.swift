// Reads the languages of Matroska tracks as BCP 47 tags, which FFmpeg does not: it reads only the older codes. Reads only the
// track list, and only where it precedes the media.
internal import Libav

/// Languages from a Matroska file's track list.
enum MatroskaLanguages {
    private typealias Name = MatroskaElement.Name

    /// Maximum number of elements skipped before the track list, and the largest list that is read.
    private static let most = 64, largest: Int64 = 4 << 20

    /// The tags of the tracks that FFmpeg makes streams of, in their order; empty if there are none.
    static func tags(_ source: SourceFile) -> [String?] {
        var at: Int64 = 0
        var isInside = false
        for _ in 0..<most {
            guard let head = MatroskaElement.Head(source.bytes(at: at, count: 12)[...]) else { return [] }
            let body = at + Int64(head.length)
            if head.id == Name.segment, !isInside {
                isInside = true
                at = body
                continue
            }
            guard let size = head.size, size <= source.size - body, head.id != Name.cluster else { return [] }
            if isInside, head.id == Name.tracks, size <= largest {
                return list(source.bytes(at: body, count: Int(size)))
            }
            at = body + size
        }
        return []
    }

    private static func list(_ bytes: [UInt8]) -> [String?] {
        (MatroskaElement.list(bytes[...]) ?? []).filter { $0.id == Name.trackEntry }.compactMap { entry in
            let facts = entry.children ?? []
            guard let type = facts.first(where: { $0.id == Name.trackType })?.number,
                // Video, audio, subtitles, metadata.
                [1, 2, 0x11, 0x21].contains(type)
            else { return nil }
            let tag = facts.first { $0.id == Name.languageBCP47 }.map {
                String(decoding: $0.body.prefix(64).prefix { $0 != 0 }, as: UTF8.self)
            }
            return .some(tag.flatMap { $0.isEmpty || $0 == "und" ? nil : $0 })
        }
    }
}
