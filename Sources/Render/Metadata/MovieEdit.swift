// Edits the movie box of a finished output: boxes that FFmpeg's muxer cannot write. Reads and writes the output's descriptor,
// which is trimd's own and has no name yet.
internal import ISOMedia
internal import Libav
internal import Media
internal import Source

/// The movie box of an output.
struct MovieEdit {
    private var output: SourceFile
    private let offset: Int64
    private let size: Int64
    /// Size in bytes of the free box after it, if there is one.
    private let room: Int64
    var movie: Box
    /// A track that is added, made from where its samples begin in the file, and its samples.
    private var added: (samples: [UInt8], track: (Int64) -> Box)?

    /// A larger movie box is left unchanged: about 40 million samples.
    private static let largest: Int64 = 1 << 30

    /// Reads the movie box; nil if there is none that can be changed.
    init?(_ output: SourceFile) {
        var at: Int64 = 0
        while let box = MovieEdit.box(output, at) {
            if box.name == "moov" {
                guard box.size <= MovieEdit.largest,
                    let movie = Box(parsing: output.bytes(at: at, count: Int(box.size))[...])
                else { return nil }
                (self.output, offset, size, self.movie) = (output, at, box.size, movie)
                let next = MovieEdit.box(output, box.end)
                room = next?.name == "free" ? next?.size ?? 0 : 0
                return
            }
            at = box.end
        }
        return nil
    }

    /// The box at an offset, if all of it is there.
    private static func box(_ output: SourceFile, _ at: Int64) -> BoxHeader? {
        BoxHeader(output.bytes(at: at, count: BoxHeader.longest), at: at).flatMap {
            $0.end <= output.size ? $0 : nil
        }
    }

    /// Replaces the metadata that FFmpeg wrote.
    mutating func set(_ metadata: MovieMetadata) {
        var children = movie.children ?? []
        var user = movie["udta"]?.children ?? []
        if !metadata.isQuickTime { user.removeAll { $0.name == "meta" } }
        let given = metadata.userDataBoxes
        user.removeAll { old in given.contains { $0.type == old.type } }
        // The chapter list stays; the iTunes metadata comes last.
        user += given
        children.removeAll { $0.name == "udta" || $0.name == "meta" }
        if !user.isEmpty { children.append(Box("udta", children: user)) }
        if let keys = metadata.keysBox { children.append(keys) }
        movie.children = children
    }

    /// Changes a track, counted from 0.
    mutating func change(track: Int, _ change: (inout Box) -> Void) {
        let trackIndices = (movie.children ?? []).indices.filter { movie.children?[$0].name == "trak" }
        guard trackIndices.indices.contains(track), var box = movie.children?[trackIndices[track]] else {
            return
        }
        change(&box)
        movie.children?[trackIndices[track]] = box
    }

    /// Adds a track whose samples follow all others in the file.
    /// - Parameter track: makes its box, always as large, from the offset of the first sample.
    mutating func add(_ samples: [UInt8], _ track: @escaping (Int64) -> Box) {
        added = (samples, track)
    }

    /// Writes the samples of an added track, and adds its box.
    private mutating func place() throws(MediaError) {
        guard let (samples, track) = added else { return }
        let isLast = offset + size >= output.size
        // Behind the movie box, where that is the last one.
        let at = isLast ? offset + Int64(movie.bytes.count + track(0).bytes.count) : output.size
        let box = Box("mdat", samples).bytes
        movie.children?.append(track(at + Int64(box.count - samples.count)))
        try media(.encodeFailed) { () throws(LibavError) in try output.write(box, at: at, MovieEdit.act) }
        if !isLast { output = SourceFile(descriptor: output.descriptor, name: output.name) }
    }

    private static let act = "writing the movie's metadata"

    /// Writes the movie box: into the free space after it where that suffices, otherwise the rest of the file moves.
    /// - Parameter complete: called before the media moves, which must all be there by then.
    consuming func write(_ complete: () throws(LibavError) -> Void = {}) throws(MediaError) {
        try place()
        var bytes = movie.bytes
        let rest = offset + size
        let left = room - (Int64(bytes.count) - size)
        let isLast = rest >= output.size
        // The samples of an added track are where they belong already.
        if isLast, added != nil { return try put(bytes, moving: 0) }
        if !isLast, left == 0 || left >= 8, left <= Int64(UInt32.max) {
            if left > 0 { bytes += BigEndian.bytes(left, 4) + Array("free".utf8) }
            return try put(bytes, moving: 0)
        }
        if !isLast { try media(.encodeFailed) { () throws(LibavError) in try complete() } }
        let old = size
        if !isLast { bytes = MovieIndex(bytes).moved(beyond: offset) { Int64($0) - old } }
        try put(bytes, moving: Int64(bytes.count) - size)
    }

    /// Writes the box after moving the rest of the file.
    private func put(_ bytes: [UInt8], moving distance: Int64) throws(MediaError) {
        try media(.encodeFailed) { () throws(LibavError) in
            if distance != 0 { try output.move(from: offset + size, by: distance, MovieEdit.act) }
            try output.write(bytes, at: offset, MovieEdit.act)
        }
    }
}

extension Box {
    /// Replaces a track's sample entry and handler.
    mutating func describe(entry: [UInt8], handler: [UInt8]) {
        guard var media = self["mdia"], var head = media["hdlr"], var info = media["minf"],
            var table = info["stbl"], var entries = table["stsd"], head.body.count >= 12,
            entries.body.count >= 8
        else { return }
        if handler.count == 4 { head.body.replaceSubrange(8..<12, with: handler) }
        entries.body = Array(entries.body.prefix(8)) + entry
        table["stsd"] = entries
        info["stbl"] = table
        media["minf"] = info
        media["hdlr"] = head
        self["mdia"] = media
    }
}
