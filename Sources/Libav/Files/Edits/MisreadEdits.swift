// Edit lists of movies that FFmpeg misreads: those with an empty edit behind the first part, in whose place it plays the beginning of the
// media, and those of several parts, whose audio it does not cut to the sample. Reads headers of boxes, and these lists; never media.
internal import ISOMedia
internal import MediaTime

/// The edit lists of a movie that are applied here, and not by FFmpeg.
struct MisreadEdits {
    /// A part of a track's media, and when it is shown.
    struct Part: Hashable {
        /// When it begins in the presentation, in ticks of the track.
        var start: Int64
        /// The media that it shows, in ticks of the track.
        var media: Range<Int64>
        /// When it ends in the presentation.
        var end: Int64 { start + Int64(media.count) }
    }

    /// The parts of each such track, by its index; at least one each.
    private(set) var parts: [Int: [Part]] = [:]
    /// Where the names of these lists' boxes lie: what FFmpeg must not see.
    private(set) var names: [Range<Int64>] = []

    /// Boxes that a movie may begin with.
    private static let first: Set<String> = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]
    /// Boxes of one level that are looked at, entries of a list, and ticks, at most.
    private static let mostBoxes = 10_000, mostEntries = 10_000, mostTicks: Int64 = 1 << 52

    /// Reads the lists of a source; nil: it is no movie, or FFmpeg reads all of its lists rightly.
    init?(_ source: SourceFile) {
        guard source.segments == nil, source.joined == nil else { return nil }
        guard let head = BoxHeader(source.bytes(at: 0, count: BoxHeader.longest), at: 0, end: source.size),
            MisreadEdits.first.contains(head.name)
        else { return nil }
        var movie: BoxHeader?
        MisreadEdits.forEach(in: source, 0..<source.size) { box in
            if box.name == "moov" { movie = box }
            return movie == nil
        }
        guard let movie else { return nil }
        var timescale: Int64 = 0
        var tracks: [BoxHeader] = []
        var isFragmented = false
        MisreadEdits.forEach(in: source, movie.body..<min(movie.end, source.size)) { box in
            switch box.name {
            case "mvhd": timescale = MisreadEdits.timescale(source, box)
            case "mvex": isFragmented = true
            case "trak": tracks.append(box)
            default: break
            }
            return true
        }
        guard !isFragmented, let movie = Timebase(perSecond: Int(timescale)) else { return nil }
        for (index, track) in tracks.enumerated() { read(track, index, source, movie: movie) }
        if parts.isEmpty { return nil }
    }

    private mutating func read(_ track: BoxHeader, _ index: Int, _ source: SourceFile, movie: Timebase) {
        var list: BoxHeader?
        var (timescale, handler) = (Int64(0), "")
        MisreadEdits.forEach(in: source, track.body..<track.end) { box in
            switch box.name {
            case "edts":
                MisreadEdits.forEach(in: source, box.body..<box.end) { inner in
                    if inner.name == "elst" { list = inner }
                    return true
                }
            case "mdia":
                MisreadEdits.forEach(in: source, box.body..<box.end) { inner in
                    if inner.name == "mdhd" { timescale = MisreadEdits.timescale(source, inner) }
                    if inner.name == "hdlr" {
                        handler = String(
                            decoding: source.bytes(at: inner.body + 8, count: 4), as: UTF8.self)
                    }
                    return inner.name != "minf"
                }
            default: break
            }
            return true
        }
        guard let list, let media = Timebase(perSecond: Int(timescale)), ["vide", "soun"].contains(handler),
            let found = MisreadEdits.parts(source, list, movie: movie, media: media)
        else { return }
        parts[index] = found
        names.append((list.offset + 4)..<(list.offset + 8))
    }

    /// The parts that a list names; nil: FFmpeg reads it rightly, or it is invalid.
    private static func parts(
        _ source: SourceFile, _ list: BoxHeader, movie: Timebase, media: Timebase
    ) -> [Part]? {
        let head = source.bytes(at: list.body, count: 8)
        guard head.count == 8 else { return nil }
        let isWide = head[0] == 1
        let size = isWide ? 20 : 12
        let count = min(
            Int(clamping: BigEndian.value(head[4...])), Int(clamping: (list.size - 16) / Int64(size)))
        guard 2...mostEntries ~= count else { return nil }
        let bytes = source.bytes(at: list.body + 8, count: count * size)
        guard bytes.count == count * size else { return nil }
        var (parts, gaps, isBehindGap, isContinued) = ([Part](), 0, false, false)
        // In ticks of the movie.
        var time: Int64 = 0
        func ticks(_ time: Int64) -> Int64 { movie.rescale(time, to: media) }
        for index in 0..<count {
            let entry = bytes[(index * size)..<((index + 1) * size)]
            let wide = isWide ? 8 : 4
            let length = Int64(clamping: BigEndian.value(entry.prefix(wide)))
            let stored = BigEndian.value(entry.dropFirst(wide).prefix(wide))
            let from = isWide ? Int64(bitPattern: stored) : Int64(Int32(truncatingIfNeeded: stored))
            let rate = BigEndian.value(entry.suffix(4))
            guard length <= mostTicks, time <= mostTicks, from <= mostTicks else { return nil }
            let start = min(ticks(time), mostTicks)
            time += length
            guard from >= 0 else {
                isBehindGap = !parts.isEmpty
                continue
            }
            // Media at another speed is another matter.
            guard rate == 1 << 16 else { return nil }
            if isBehindGap { gaps += 1 }
            isBehindGap = false
            let end = min(ticks(time), mostTicks)
            guard end > start else { continue }
            let part = Part(start: start, media: from..<(from + end - start))
            let isNext = parts.last.map { last in
                // Lengths are rounded to ticks of the movie.
                last.end == start
                    && movie.rescale(1, to: media, rounding: .towardPositiveInfinity)
                        >= abs(last.media.upperBound - from)
            }
            if isNext == true, let last = parts.last {
                // It goes on: the same media in two entries, which FFmpeg places as two parts.
                isContinued = true
                parts[parts.count - 1].media =
                    last.media.lowerBound..<(last.media.lowerBound + end - last.start)
            } else {
                parts.append(part)
            }
        }
        let isMisread = gaps > 0 || parts.count > 1 || isBehindGap || isContinued
        return isMisread && !parts.isEmpty ? parts : nil
    }

    /// Ticks per second of a header of a movie or of media.
    private static func timescale(_ source: SourceFile, _ box: BoxHeader) -> Int64 {
        let bytes = source.bytes(at: box.body, count: 24)
        guard bytes.count == 24 else { return 0 }
        return Int64(BigEndian.value(bytes.dropFirst(bytes[0] == 1 ? 20 : 12).prefix(4)))
    }

    /// Calls `body` with each box of a range of the file, until it returns false.
    private static func forEach(
        in source: SourceFile, _ range: Range<Int64>, _ body: (BoxHeader) -> Bool
    ) {
        var offset = range.lowerBound
        for _ in 0..<mostBoxes where offset < range.upperBound {
            guard
                let box = BoxHeader(
                    source.bytes(at: offset, count: BoxHeader.longest), at: offset, end: range.upperBound),
                box.end <= range.upperBound, body(box)
            else { return }
            offset = box.end
        }
    }
}

extension SourceFile {
    /// Where parts of a track's edit list meet that FFmpeg misreads: the end of each but the last, and the start of the next, in ticks of the
    /// track and times of the container. Empty for nearly all tracks.
    public func editSeams(of track: Int) -> [(end: Int64, start: Int64)] {
        guard let parts = MisreadEdits(self)?.parts[track] else { return [] }
        return zip(parts, parts.dropFirst()).map { ($0.end, $1.start) }
    }
}
