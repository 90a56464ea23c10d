// Parts of a playlist between discontinuities whose segments come from elsewhere than most: from another folder, or with other names.
// Servers that stitch advertisements into a film leave such parts. Pure.

/// Finds stitched parts.
struct StitchedParts {
    /// A run of segments between two discontinuities, or the playlist's beginning and a discontinuity, or one and the end.
    private struct Part {
        var segments: Range<Int>
        var start: Int64
        var end: Int64
        var origins: Set<String>
    }

    /// The part of the time that segments of one origin must have to be the program, in percent: half between two of its parts, and
    /// more where a part that comes before or after it may as well be another film.
    private static let (least, leastAtEnds): (Int64, Int64) = (50, 75)

    /// The parts from elsewhere, in microseconds.
    static func find(
        _ segments: [PlaylistSegment], _ timeline: PlaylistTimeline
    ) -> [(start: Int64, end: Int64, folder: String?, line: Int)] {
        guard segments.last?.part ?? 0 > 0, timeline.length > 0 else { return [] }
        // By their folders where these differ, else by the form of their names.
        for origin in [folder, form] {
            let found = find(segments, timeline, origin)
            if !found.isEmpty { return found }
        }
        return []
    }

    private static func find(
        _ segments: [PlaylistSegment], _ timeline: PlaylistTimeline, _ origin: (PlaylistSegment) -> String
    ) -> [(start: Int64, end: Int64, folder: String?, line: Int)] {
        var parts: [Part] = []
        var shares: [String: Int64] = [:]
        for (index, segment) in segments.enumerated() {
            let start = timeline.starts[index]
            let end = index + 1 < segments.count ? timeline.starts[index + 1] : timeline.length
            let name = origin(segment)
            shares[name, default: 0] += end - start
            if let last = parts.last, segments[last.segments.lowerBound].part == segment.part {
                parts[parts.count - 1].segments = last.segments.lowerBound..<index + 1
                parts[parts.count - 1].end = end
                parts[parts.count - 1].origins.insert(name)
            } else {
                parts.append(Part(segments: index..<index + 1, start: start, end: end, origins: [name]))
            }
        }
        guard let program = shares.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return [] }
        func isLarge(_ percent: Int64) -> Bool {
            // Lengths are far below the largest number.
            program.value * 100 >= timeline.length * percent
        }
        let own = parts.indices.filter { parts[$0].origins.contains(program.key) }
        guard isLarge(least), let first = own.first, let last = own.last else { return [] }
        return parts.indices.filter { index in
            !parts[index].origins.contains(program.key)
                && (first...last ~= index || isLarge(leastAtEnds))
        }.map { index in
            let part = parts[index], segment = segments[part.segments.lowerBound]
            return (part.start, part.end, segment.media.name.folder, segment.media.line)
        }
    }

    private static func folder(_ segment: PlaylistSegment) -> String { segment.media.name.folder ?? "" }

    /// The name without its numbers, and the header.
    private static func form(_ segment: PlaylistSegment) -> String {
        var form = ""
        var wasNumber = false
        for character in segment.media.name.path.unicodeScalars {
            let isNumber = ("0"..."9").contains(character)
            if !isNumber { form.unicodeScalars.append(character) } else if !wasNumber { form += "#" }
            wasNumber = isNumber
        }
        return form + "|" + (segment.map?.name.path ?? "")
    }
}
