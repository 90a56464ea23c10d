// Reads facts of an ISO or QuickTime movie that FFmpeg does not report: edit lists as stored in the file, and whether tracks are
// encrypted where FFmpeg cannot even open it. Reads only the movie box; never media, never writes.
package import ISOMedia
package import Libav

/// Facts from a movie box.
package struct MovieBoxes {
    /// One entry of an edit list, in the file's own units.
    package struct Entry {
        package var duration: Int64
        /// -1 for an empty edit.
        package var mediaTime: Int64
        package var rateFixed: Int64
    }
    /// The visible part of a frame (clean aperture), in pixels and fractions.
    package struct Aperture: Equatable {
        package var width: Double, height: Double
        package var right: Double, down: Double
    }
    /// One track.
    package struct TrackFacts {
        package var mediaTimescale: Int64 = 0
        package var edits: [Entry] = []
        package var isProtected = false
        /// The track ID, which other tracks refer to.
        package var id: UInt64 = 0
        /// The IDs of the tracks that hold its chapters.
        package var chapterTracks: [UInt64] = []
        /// The four characters of its handler.
        package var handler: [UInt8] = []
        /// The clean aperture of its video: width, height, and the offsets of its centre to the right and down, in pixels; nil
        /// where the file has none.
        package var aperture: Aperture?
        /// The single sample entry of a data track, with its header; nil if there are several, or it is large.
        package var dataEntry: [UInt8]?
        /// Boxes of the single video sample entry that FFmpeg does not pass on.
        package var videoBoxes: [Box] = []
        /// Spherical Video V1, stored next to the sample description.
        package var projectionBox: Box?
        /// Its title from the user data.
        package var title: String?
        /// QuickTime's tagged characteristics.
        package var characteristics: [String] = []
        /// Its language tag (BCP 47).
        package var languageTag: String?
    }
    /// Timescale of the edits' durations, in ticks per second.
    package private(set) var movieTimescale: Int64 = 0
    /// The tracks, in file order, which is FFmpeg's.
    package private(set) var tracks: [TrackFacts] = []
    /// The movie carries the initialisation data of an encryption scheme.
    package private(set) var hasProtectionHeader = false
    /// Fragments follow the movie box, which does not say how long the tracks are.
    package private(set) var isFragmented = false
    /// Where the last box at the top level ends, of a movie in fragments: behind the file's end where that breaks off.
    package private(set) var end: Int64?

    /// A larger movie box is not read.
    private static let largestMovieBox: Int64 = 64 << 20

    /// Reads the movie box of a source; nil if it has none.
    package init?(_ source: SourceFile) {
        var offset: Int64 = 0
        // A file has few top-level boxes; a damaged one could have any number.
        for _ in 0..<10_000 {
            let head = source.bytes(at: offset, count: BoxHeader.longest)
            guard let box = BoxHeader(head, at: offset, end: source.size), box.size <= source.size else {
                return nil
            }
            if box.name == "moov" {
                guard box.size <= MovieBoxes.largestMovieBox else { return nil }
                let bytes = source.bytes(at: box.body, count: Int(box.size - box.length))
                readMovie(bytes[...])
                if isFragmented { readEnd(source, from: box.end) }
                return
            }
            guard box.end < source.size else { return nil }
            offset = box.end
        }
        return nil
    }

    /// Follows the boxes behind the movie's to the last one.
    private mutating func readEnd(_ source: SourceFile, from offset: Int64) {
        var offset = offset
        for _ in 0..<MovieBoxes.mostFragments where offset < source.size {
            guard
                let box = BoxHeader(
                    source.bytes(at: offset, count: BoxHeader.longest), at: offset, end: source.size),
                MovieBoxes.behind.contains(box.name)
            else { return }
            offset = box.end
        }
        end = offset
    }

    /// Boxes that follow a movie in fragments; anything else is no part of it.
    private static let behind: Set<String> = [
        "moof", "mdat", "sidx", "styp", "emsg", "prft", "free", "skip", "uuid", "ssix",
    ]
    /// Boxes that are followed: of fragments of a second each, 13 hours.
    private static let mostFragments = 100_000

    /// Indices of the tracks that hold chapters of other tracks.
    package var chapterTracks: Set<Int> {
        let named = Set(tracks.flatMap(\.chapterTracks))
        return Set(tracks.indices.filter { named.contains(tracks[$0].id) })
    }

    /// Any track is encrypted.
    package var isProtected: Bool { hasProtectionHeader || tracks.contains(where: \.isProtected) }

    private mutating func readMovie(_ movie: ArraySlice<UInt8>) {
        BoxHeader.forEach(in: movie) { name, body, _ in
            switch name {
            case "mvhd": movieTimescale = MovieBoxes.timescale(body)
            case "pssh": hasProtectionHeader = true
            case "mvex": isFragmented = true
            case "trak":
                var facts = TrackFacts()
                MovieBoxes.readTrack(body, depth: 0, &facts)
                tracks.append(facts)
            default: break
            }
        }
    }

    /// Maximum nesting of a track's boxes: mdia, minf, stbl. A file of nested boxes must not exhaust the stack.
    private static let deepest = 3

    private static func readTrack(_ track: ArraySlice<UInt8>, depth: Int, _ facts: inout TrackFacts) {
        BoxHeader.forEach(in: track) { name, body, _ in
            switch name {
            case "edts", "mdia", "minf", "stbl":
                if depth < deepest { readTrack(body, depth: depth + 1, &facts) }
            case "mdhd": facts.mediaTimescale = timescale(body)
            case "udta" where depth == 0:
                BoxHeader.forEach(in: body) { name, content, _ in
                    guard content.count <= longestLabel else { return }
                    if name == "name", facts.title == nil { facts.title = text(content) }
                    if name == "tagc", let tag = text(content) { facts.characteristics.append(tag) }
                }
            case "elng":
                if body.count <= longestLabel { facts.languageTag = text(body.dropFirst(4)) }
            case "tkhd":
                let at = body.startIndex + (body.first == 1 ? 20 : 12)
                if body.endIndex >= at + 4 { facts.id = BigEndian.value(body[at..<(at + 4)]) }
            case "tref":
                BoxHeader.forEach(in: body) { name, list, _ in
                    guard name == "chap" else { return }
                    for at in stride(from: list.startIndex, to: list.endIndex - 3, by: 4) {
                        facts.chapterTracks.append(BigEndian.value(list[at..<(at + 4)]))
                    }
                }
            case "hdlr":
                // A data handler also follows in the media information box.
                if facts.handler.isEmpty, body.count >= 12 {
                    facts.handler = Array(body.dropFirst(8).prefix(4))
                }
            case "elst": facts.edits = edits(body)
            case "uuid":
                if depth == 0, body.starts(with: spherical), body.count <= largestBox {
                    facts.projectionBox = Box("uuid", Array(body))
                }
            case "stsd":
                if body.count > 16, body.count < 1 << 16, BigEndian.value(body.dropFirst(4).prefix(4)) == 1 {
                    facts.dataEntry = Array(body.dropFirst(8))
                }
                let isOne = body.count > 8 && BigEndian.value(body.dropFirst(4).prefix(4)) == 1
                BoxHeader.forEach(in: body.dropFirst(8)) { entry, content, _ in
                    if ["encv", "enca", "drms", "drmi"].contains(entry) {
                        facts.isProtected = true
                    }
                    // A video sample entry has 78 bytes before its boxes; audio has fewer, and no such box.
                    BoxHeader.forEach(in: content.dropFirst(78)) { name, box, _ in
                        if name == "clap", facts.aperture == nil { facts.aperture = aperture(box) }
                        let isNew = !facts.videoBoxes.contains { $0.name == name }
                        if isOne, isNew, copiedNames.contains(name), box.count <= largestBox {
                            facts.videoBoxes.append(Box(name, Array(box)))
                        }
                    }
                }
            default: break
            }
        }
    }

    /// Maximum size of a track's title in bytes.
    private static let longestLabel = 4096

    /// The text up to a NUL; nil if it is empty.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// Names of boxes that are copied.
    private static let copiedNames = VideoBoxes.Subject.allCases.reduce(into: Set<String>()) {
        $0.formUnion($1.names)
    }
    /// A larger box is not the expected one.
    private static let largestBox = 1 << 16
    /// The UUID of Google's Spherical Video V1.
    private static let spherical: [UInt8] = [
        0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
    ]

    private static func edits(_ body: ArraySlice<UInt8>) -> [Entry] {
        let wide = body.first == 1
        let size = wide ? 20 : 12
        var rest = body.dropFirst(8)
        var entries: [Entry] = []
        while rest.count >= size, entries.count < 10_000 {
            let at = rest.startIndex
            let duration = BigEndian.value(rest[at..<(at + (wide ? 8 : 4))])
            let media = rest[(at + (wide ? 8 : 4))..<(at + (wide ? 16 : 8))]
            let time =
                wide
                ? Int64(bitPattern: BigEndian.value(media))
                : Int64(Int32(bitPattern: UInt32(BigEndian.value(media))))
            let rate = Int32(bitPattern: UInt32(BigEndian.value(rest[(at + size - 4)..<(at + size)])))
            entries.append(
                Entry(duration: Int64(clamping: duration), mediaTime: time, rateFixed: Int64(rate)))
            rest = rest.dropFirst(size)
        }
        return entries
    }

    private static func aperture(_ body: ArraySlice<UInt8>) -> Aperture? {
        guard body.count >= 32 else { return nil }
        let values = (0..<4).map { index -> Double in
            let parts = body.dropFirst(index * 8)
            // Offsets may be negative; sizes may not, and an oversized one is invalid.
            let (above, below) = (
                BigEndian.value(parts.prefix(4)), BigEndian.value(parts.dropFirst(4).prefix(4))
            )
            let below32 = Int32(truncatingIfNeeded: below)
            return below32 > 0 ? Double(Int32(truncatingIfNeeded: above)) / Double(below32) : .nan
        }
        guard values.allSatisfy(\.isFinite), values[0] >= 1, values[1] >= 1 else { return nil }
        return Aperture(width: values[0], height: values[1], right: values[2], down: values[3])
    }

    private static func timescale(_ body: ArraySlice<UInt8>) -> Int64 {
        let offset = body.startIndex + (body.first == 1 ? 20 : 12)
        guard body.endIndex >= offset + 4 else { return 0 }
        return Int64(BigEndian.value(body[offset..<(offset + 4)]))
    }
}
