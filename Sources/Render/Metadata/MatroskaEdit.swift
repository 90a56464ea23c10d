// Edits the header of a finished Matroska file: elements that FFmpeg's muxer cannot write. Reads and writes the output's
// descriptor, which is trimd's own and has no name yet. Moves clusters only where the header has no space for additions.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The header of a Matroska file: everything before its first cluster.
struct MatroskaEdit {
    private typealias Name = MatroskaElement.Name

    private let output: SourceFile
    /// Where the segment's content begins; positions in the file are relative to it.
    private let begin: Int64
    /// Where the first cluster begins.
    private let clusters: Int64
    /// The elements of the header, except those that are rewritten: SeekHead and Void.
    private var head: [MatroskaElement]
    /// The index and its position, where it follows the clusters.
    private let index: (element: MatroskaElement, offset: Int64)?
    /// The index goes before the clusters.
    var putsIndexFirst = false

    private static let act = "writing the head of the Matroska file"
    /// A larger header or index is left unchanged.
    private static let largest: Int64 = 256 << 20

    /// Reads the header; nil if there is none that can be changed.
    init?(_ output: SourceFile) {
        self.output = output
        guard let first = MatroskaEdit.head(output, 0), let size = first.size,
            let segment = MatroskaEdit.head(output, Int64(first.length) + size),
            segment.id == Name.segment
        else { return nil }
        begin = Int64(first.length) + size + Int64(segment.length)
        var at = begin
        var elements: [MatroskaElement] = []
        var seeks: MatroskaElement?
        while let next = MatroskaEdit.head(output, at), next.id != Name.cluster {
            guard let size = next.size, size <= MatroskaEdit.largest,
                let element = MatroskaEdit.element(output, at)
            else { return nil }
            if next.id == Name.seekHead { seeks = element }
            if ![Name.seekHead, Name.void].contains(next.id) { elements.append(element) }
            at += Int64(next.length) + size
        }
        guard MatroskaEdit.head(output, at)?.id == Name.cluster else { return nil }
        (clusters, head) = (at, elements)
        index = MatroskaEdit.index(output, seeks, from: begin, behind: at)
    }

    /// The index that the SeekHead points to, where it is the file's last element.
    private static func index(
        _ output: SourceFile, _ seeks: MatroskaElement?, from begin: Int64, behind clusters: Int64
    ) -> (MatroskaElement, Int64)? {
        for seek in seeks?.children ?? [] {
            guard let parts = seek.children, parts.first(where: { $0.id == Name.seekID })?.body == Name.cues,
                let offset = parts.first(where: { $0.id == Name.seekPosition }).map({
                    begin + Int64(clamping: $0.number)
                }), offset >= clusters, let head = MatroskaEdit.head(output, offset), head.id == Name.cues,
                let size = head.size, size <= largest, offset + Int64(head.length) + size == output.size,
                let element = MatroskaEdit.element(output, offset)
            else { continue }
            return (element, offset)
        }
        return nil
    }

    private static func head(_ output: SourceFile, _ at: Int64) -> MatroskaElement.Head? {
        MatroskaElement.Head(output.bytes(at: at, count: 12)[...])
    }

    private static func element(_ output: SourceFile, _ at: Int64) -> MatroskaElement? {
        guard let head = head(output, at), let size = head.size else { return nil }
        let body = output.bytes(at: at + Int64(head.length), count: Int(size))
        return body.count == Int(size) ? MatroskaElement(head.id, body) : nil
    }

    /// Sets the codec delay of an audio track, in nanoseconds, which decoders discard at its start.
    /// - Parameter track: its index among the tracks, from 0.
    mutating func setCodecDelay(_ nanoseconds: UInt64, of track: Int) {
        change(Name.tracks) { entries in
            let entryIndices = entries.indices.filter { entries[$0].id == Name.trackEntry }
            guard entryIndices.indices.contains(track) else { return }
            entries[entryIndices[track]] = entries[entryIndices[track]].changed { facts in
                facts.removeAll { $0.id == Name.codecDelay }
                facts.append(MatroskaElement(Name.codecDelay, number: nanoseconds))
            }
        }
    }

    /// Makes the DiscardPadding of a track's first block discard samples at its beginning: it is negative then (RFC 9559, 5.1.3.5.7),
    /// which FFmpeg reads and cannot write. Writes at once; the block neither moves nor changes its length.
    /// - Parameter track: its index among the tracks, from 0.
    func hidePriming(of track: Int) throws(MediaError) {
        let entries = head.first { $0.id == Name.tracks }?.children?.filter { $0.id == Name.trackEntry } ?? []
        guard entries.indices.contains(track),
            let number = entries[track].children?.first(where: { $0.id == Name.trackNumber })?.number,
            let group = firstGroup(ofTrack: number), let length = MatroskaEdit.padding(in: group.body)
        else {
            throw MediaError(.encodeFailed, "the first block of track \(track) has no padding to be changed")
        }
        let negated = -group.body[length].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let bytes = (0..<length.count).reversed().map { UInt8(truncatingIfNeeded: negated >> ($0 * 8)) }
        try change { () throws(LibavError) in
            try output.write(bytes, at: group.offset + Int64(length.lowerBound), MatroskaEdit.act)
        }
    }

    /// The first block group of a track, where its first block is in one, and where its content begins.
    private func firstGroup(ofTrack number: UInt64) -> (body: [UInt8], offset: Int64)? {
        var at = clusters
        while let next = MatroskaEdit.head(output, at), let size = next.size {
            let body = at + Int64(next.length)
            // The children of a cluster follow its own head.
            if next.id == Name.cluster {
                at = body
                continue
            }
            at = body + size
            guard [Name.simpleBlock, Name.blockGroup].contains(next.id) else { continue }
            guard next.id == Name.blockGroup, size <= MatroskaEdit.largest else {
                let first = output.bytes(at: body, count: 8)
                if MatroskaEdit.track(of: first[...]) == number { return nil }
                continue
            }
            let bytes = output.bytes(at: body, count: Int(size))
            if let block = MatroskaElement.list(bytes[...])?.first(where: { $0.id == Name.block }),
                MatroskaEdit.track(of: block.body[...]) == number
            {
                return (bytes, body)
            }
        }
        return nil
    }

    /// The number with which a block begins.
    private static func track(of block: ArraySlice<UInt8>) -> UInt64? {
        guard let first = block.first, first > 0 else { return nil }
        let wide = first.leadingZeroBitCount + 1
        guard block.count >= wide else { return nil }
        return block.prefix(wide).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (UInt64(1) << (7 * wide) - 1)
    }

    /// Where the value of a block group's DiscardPadding lies in its content.
    private static func padding(in group: [UInt8]) -> Range<Int>? {
        var at = 0
        while at < group.count, let next = MatroskaElement.Head(group[at...]), let size = next.size {
            let begin = at + next.length
            guard size <= group.count - begin else { return nil }
            if next.id == Name.discardPadding, (1...8).contains(size) { return begin..<(begin + Int(size)) }
            at = begin + Int(size)
        }
        return nil
    }

    /// Sets the language of a track as a BCP 47 tag, which overrides its language code.
    mutating func setLanguage(_ tag: String, of track: Int) {
        change(Name.tracks) { entries in
            let entryIndices = entries.indices.filter { entries[$0].id == Name.trackEntry }
            guard entryIndices.indices.contains(track) else { return }
            entries[entryIndices[track]] = entries[entryIndices[track]].changed { facts in
                facts.removeAll { $0.id == Name.languageBCP47 }
                facts.append(MatroskaElement(Name.languageBCP47, Array(tag.utf8)))
            }
        }
    }

    /// Sets the duration of the file, in milliseconds, as FFmpeg's muxer does.
    mutating func setLength(_ length: Time) {
        change(Name.info) { facts in
            guard let position = facts.firstIndex(where: { $0.id == Name.duration }) else { return }
            let bits = (length.seconds * 1000).bitPattern
            facts[position].body = (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        }
    }

    /// Sets the duration of a track, in the tag that FFmpeg's muxer uses for it.
    mutating func setLength(_ length: Time, of track: Int) {
        let entries = head.first { $0.id == Name.tracks }?.children?.filter { $0.id == Name.trackEntry } ?? []
        guard entries.indices.contains(track),
            let number = entries[track].children?.first(where: { $0.id == Name.trackUID })?.body
        else { return }
        let words = Array("\(length.clock())000000".utf8)
        change(Name.tags) { tags in
            for position in tags.indices where tags[position].id == Name.tag {
                let target = tags[position].children?.first { $0.id == Name.targets }
                guard target?.children?.first(where: { $0.id == Name.tagTrackUID })?.body == number else {
                    continue
                }
                tags[position] = tags[position].changed { items in
                    for item in items.indices where items[item].id == Name.simpleTag {
                        let parts = items[item].children ?? []
                        guard parts.first(where: { $0.id == Name.tagName })?.body == Array("DURATION".utf8)
                        else { continue }
                        items[item] = items[item].changed { parts in
                            for part in parts.indices where parts[part].id == Name.tagString {
                                parts[part].body = words
                            }
                        }
                    }
                }
            }
        }
    }

    /// Changes the content of one header element.
    private mutating func change(_ name: [UInt8], _ change: (inout [MatroskaElement]) -> Void) {
        guard let position = head.firstIndex(where: { $0.id == name }) else { return }
        head[position] = head[position].changed(change)
    }

    /// Writes the header in place; the rest of the file moves where the space is too small.
    consuming func write() throws(MediaError) {
        let room = clusters - begin
        let moved = putsIndexFirst ? index : nil
        // Where the clusters move, the positions in the index change too, and their numbers may get longer.
        var delta: Int64 = 0
        var bytes = layout(index: moved?.element, delta: delta)
        while Int64(bytes.count) > room + delta || Int64(bytes.count) == room + delta - 1 {
            delta = Int64(bytes.count) - room + (Int64(bytes.count) == room + delta - 1 ? 2 : 0)
            bytes = layout(index: moved?.element, delta: delta)
        }
        let left = Int(room + delta) - bytes.count
        if let void = MatroskaElement(void: left) { bytes += void.bytes }
        var end = moved?.offset ?? output.size
        try change { () throws(LibavError) in
            if let moved { try output.truncate(to: moved.offset, MatroskaEdit.act) }
            if delta > 0 {
                try SourceFile(descriptor: output.descriptor, size: end, name: output.name).move(
                    from: clusters, by: delta, MatroskaEdit.act)
                end += delta
            }
            try output.write(bytes, at: begin, MatroskaEdit.act)
            try output.write(
                MatroskaElement.size(Int(end - begin), isLong: true), at: begin - 8, MatroskaEdit.act)
        }
        guard moved == nil, delta > 0, let index else { return }
        // The index stays after the clusters and must point to their new positions.
        let shifted = MatroskaEdit.shift(index.element, by: delta).bytes
        try change { () throws(LibavError) in
            try output.truncate(to: index.offset + delta, MatroskaEdit.act)
            try output.write(shifted, at: index.offset + delta, MatroskaEdit.act)
            let end = index.offset + delta + Int64(shifted.count)
            try output.write(
                MatroskaElement.size(Int(end - begin), isLong: true), at: begin - 8, MatroskaEdit.act)
        }
    }

    private func change(_ body: () throws(LibavError) -> Void) throws(MediaError) {
        try media(.encodeFailed, body)
    }

    /// The header after its SeekHead, where the clusters move by `delta`.
    private func layout(index moved: MatroskaElement?, delta: Int64) -> [UInt8] {
        let elements = head + [moved.map { MatroskaEdit.shift($0, by: delta) }].compactMap(\.self)
        let behind = moved == nil ? index : nil
        // Positions are written in eight bytes, so that the SeekHead has a fixed length.
        let count = elements.count + (behind == nil ? 0 : 1)
        func list(_ offsets: [(id: [UInt8], offset: Int64)]) -> [UInt8] {
            let seeks = offsets.map { entry in
                MatroskaElement(
                    Name.seek,
                    MatroskaElement(Name.seekID, entry.id).bytes
                        + MatroskaElement(
                            Name.seekPosition,
                            (0..<8).reversed().map { UInt8(truncatingIfNeeded: entry.offset >> ($0 * 8)) }
                        ).bytes)
            }
            return MatroskaElement(Name.seekHead, children: seeks, hasChecksum: true).bytes
        }
        let length = list([(id: [UInt8], offset: Int64)](repeating: (Name.cues, 0), count: count)).count
        var offsets: [(id: [UInt8], offset: Int64)] = []
        var bytes: [UInt8] = []
        for element in elements {
            offsets.append((element.id, Int64(length + bytes.count)))
            bytes += element.bytes
        }
        if let behind { offsets.append((Name.cues, behind.offset + delta - begin)) }
        return list(offsets) + bytes
    }

    /// An index whose clusters move by `delta`.
    private static func shift(_ index: MatroskaElement, by delta: Int64) -> MatroskaElement {
        guard delta != 0 else { return index }
        return index.changed { points in
            for point in points.indices where points[point].id == Name.cuePoint {
                points[point] = points[point].changed { parts in
                    for part in parts.indices where parts[part].id == Name.cueTrackPositions {
                        parts[part] = parts[part].changed { facts in
                            for fact in facts.indices where facts[fact].id == Name.cueClusterPosition {
                                let offset = Int64(clamping: facts[fact].number) + delta
                                facts[fact] = MatroskaElement(
                                    Name.cueClusterPosition, number: UInt64(clamping: offset))
                            }
                        }
                    }
                }
            }
        }
    }
}
