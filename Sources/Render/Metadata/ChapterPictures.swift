// The pictures of a movie's chapters, as audiobooks and podcasts have them: a track of images that other tracks name ("chap") beside that of
// the titles. FFmpeg reads such a track, as a cover whose other images nobody sees, and cannot write one: it is added to a finished movie.
internal import ISOMedia
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The pictures of chapters, on the output's timeline.
struct ChapterPictures: Sendable {
    private struct Picture {
        /// From when on it is shown.
        var start: Time
        let artwork: Artwork
    }

    /// In order; the first is shown from the first picture's start on, each until the next.
    private let pictures: [Picture]

    /// The most pictures that are read. All lie in memory.
    private static let most = 10_000

    /// The pictures of a track of chapters in a range; nil: there are none, or not all can be read, or they are no JPEG and PNG files, or
    /// larger than artwork may be.
    init?(_ track: Track, of asset: Asset, _ source: SourceFile, _ segments: Segments, speed: Ratio) {
        guard let stored = ChapterPictures.stored(track, source) else { return nil }
        var shown: [Picture] = []
        for segment in segments.all {
            let end = segment.end ?? asset.duration ?? .positiveInfinity
            for (index, picture) in stored.enumerated() {
                let from = max(picture.start - asset.start, segment.start)
                let to = index + 1 < stored.count ? stored[index + 1].start - asset.start : end
                guard from < min(to, end) else { continue }
                let start = (from - segment.start).played(at: speed) + segment.at
                if shown.last?.artwork != picture.artwork {
                    shown.append(Picture(start: start, artwork: picture.artwork))
                }
            }
        }
        guard !shown.isEmpty else { return nil }
        pictures = shown
    }

    /// The track's pictures, at times of the container.
    private static func stored(_ track: Track, _ source: SourceFile) -> [Picture]? {
        guard let demuxer = try? Demuxer(source, quick: true), let packet = try? Packet() else { return nil }
        demuxer.select(track: track.index)
        var (found, size): ([Int64: Artwork], Int) = ([:], 0)
        while true {
            switch demuxer.read(into: packet) {
            case .broken: return nil
            case .ended:
                return found.sorted { $0.key < $1.key }.map {
                    Picture(start: track.timebase.time(ofTicks: $0.key), artwork: $0.value)
                }
            case .packet:
                // The first one also comes as a cover, with the same time or none.
                guard packet.track == track.index, let pts = packet.pts, found[pts] == nil else { continue }
                size += packet.size
                guard size <= Artwork.largest, found.count < most, let artwork = Artwork(packet.bytes) else {
                    return nil
                }
                found[pts] = artwork
            }
        }
    }

    // MARK: The track

    /// Bytes in the header of a movie.
    var headerBytes: Int { 1024 + pictures.count * 36 }
    /// Bytes of the images.
    var bytes: Int { pictures.reduce(0) { $0 + $1.artwork.bytes.count } }

    /// Adds the track to a movie; false if no track of it has chapters.
    func add(to edit: inout MovieEdit) -> Bool {
        guard let header = edit.movie["mvhd"]?.body, let scale = ChapterPictures.timescale(header),
            let (id, duration) = ChapterPictures.next(in: header)
        else { return false }
        var isNamed = false
        edit.movie.children = edit.movie.children?.map { box in
            guard box.name == "trak", let names = box["tref"]?.adding(id, to: "chap") else { return box }
            var box = box
            box["tref"] = names
            isNamed = true
            return box
        }
        guard isNamed else { return false }
        edit.movie["mvhd"]?.body.replaceSubrange(
            header.count - 4..<header.count, with: BigEndian.bytes(id + 1, 4))
        edit.add(pictures.flatMap(\.artwork.bytes)) { offset in
            track(id: id, timescale: scale, duration: duration, at: offset)
        }
        return true
    }

    /// The timescale in a movie's header.
    private static func timescale(_ header: [UInt8]) -> Int32? {
        let at = header.first == 1 ? 20 : 12
        guard header.count >= 100 else { return nil }
        let scale = Int32(exactly: BigEndian.value(header[at..<(at + 4)]))
        return scale.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The number of the next track, and the movie's duration in its own ticks.
    private static func next(in header: [UInt8]) -> (id: Int64, duration: Int64)? {
        let isWide = header.first == 1
        guard header.count >= (isWide ? 108 : 96),
            let id = UInt32(exactly: BigEndian.value(header.suffix(4))), id > 0, id < .max,
            let duration = Int64(
                exactly: BigEndian.value(isWide ? header[24..<32] : header[16..<20]))
        else { return nil }
        return (Int64(id), duration)
    }

    /// The box of the track, whose images begin at an offset in the file.
    private func track(id: Int64, timescale: Int32, duration: Int64, at offset: Int64) -> Box {
        let starts = pictures.map {
            min($0.start.converted(to: timescale, rounding: .halfAwayFromZero).value, duration)
        }
        let lengths = zip(starts, starts.dropFirst() + [duration]).map { max(0, $1 - $0) }
        let length = lengths.reduce(0, +)
        let formats = pictures.map(\.artwork).reduce(into: [Artwork]()) { known, one in
            if !known.contains(where: { $0.format == one.format }) { known.append(one) }
        }
        let kinds = pictures.map { one in (formats.firstIndex { $0.format == one.artwork.format } ?? 0) + 1 }
        var (offsets, next): ([Int64], Int64) = ([], offset)
        for picture in pictures {
            offsets.append(next)
            next += Int64(picture.artwork.bytes.count)
        }
        func full(_ name: String, version: Int = 0, flags: Int = 0, _ fields: [[UInt8]]) -> Box {
            Box(name, BigEndian.bytes(version << 24 | flags, 4) + fields.joined())
        }
        func number(_ value: some FixedWidthInteger, _ width: Int = 4) -> [UInt8] {
            BigEndian.bytes(value, width)
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let matrix = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].map { number($0) }.flatMap(\.self)
        let (width, height) = (formats.map(\.width).max() ?? 0, formats.map(\.height).max() ?? 0)
        // In the movie, and not played: it is shown by those who list chapters.
        let head = full(
            "tkhd", version: 1, flags: 2,
            [
                zeros(16), number(id), zeros(4), number(duration, 8), zeros(16), matrix, number(width << 16),
                number(height << 16),
            ])
        let first = starts.first ?? 0
        let entry = { (length: Int64, media: Int64) in number(length, 8) + number(media, 8) + number(0x1_0000)
        }
        let edits = full(
            "elst", version: 1,
            [number(first > 0 ? 2 : 1), first > 0 ? entry(first, -1) : [], entry(length, 0)])
        let entries = formats.map { one in
            Box(
                one.format == .jpeg ? "jpeg" : "png ",
                zeros(6) + number(1, 2) + zeros(16) + number(one.width, 2) + number(one.height, 2)
                    + number(0x48_0000) + number(0x48_0000) + zeros(4) + number(1, 2) + zeros(32)
                    + number(24, 2)
                    + number(-1, 2)
            ).bytes
        }
        let table = Box(
            "stbl",
            children: [
                full("stsd", [number(entries.count)] + entries),
                full(
                    "stts",
                    [number(lengths.count)] + lengths.map { number(1) + number(min($0, Int64(UInt32.max))) }),
                full(
                    "stsc",
                    [number(kinds.count)] + kinds.enumerated().map { number($0 + 1) + number(1) + number($1) }
                ),
                full(
                    "stsz",
                    [number(0), number(pictures.count)] + pictures.map { number($0.artwork.bytes.count) }),
                full("co64", [number(offsets.count)] + offsets.map { number($0, 8) }),
            ])
        let here = Box("dref", zeros(4) + number(1) + full("url ", flags: 1, []).bytes).bytes
        let media = Box(
            "mdia",
            children: [
                full(
                    "mdhd", version: 1,
                    [zeros(16), number(timescale), number(length, 8), number(0x55c4, 2), zeros(2)]),
                full("hdlr", [zeros(4), Array("vide".utf8), zeros(13)]),
                Box("minf", children: [full("vmhd", flags: 1, [zeros(8)]), Box("dinf", here), table]),
            ])
        return Box("trak", children: [head, Box("edts", edits.bytes), media])
    }
}

extension Box {
    /// A list of references with one more in it; nil: it has none of this kind.
    fileprivate func adding(_ id: Int64, to kind: String) -> Box? {
        guard let lists = Box.list(body[...]), lists.contains(where: { $0.name == kind }) else { return nil }
        return Box(
            name,
            lists.flatMap { list in
                list.name == kind ? Box(kind, list.body + BigEndian.bytes(id, 4)).bytes : list.bytes
            })
    }
}
