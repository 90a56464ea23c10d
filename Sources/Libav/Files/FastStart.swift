// Moves the index of a movie ("moov") before its media, so that players can begin before the file is loaded. Space for it was
// reserved there; an index that fits costs one write, and no sample moves. Otherwise the media moves, and with it the sample
// offsets in the index. Works on the output's descriptor after the muxer has finished; does not sync.
internal import CFFmpeg
internal import ISOMedia

/// A movie whose index follows its media.
struct FastStart {
    let descriptor: Int32
    /// Bytes reserved between the first box and the media.
    let reserve: Int

    private static let act = "putting the index before the media"
    /// The shortest box: its size and type.
    private static let smallest = 8

    /// Moves the index.
    /// - Parameter complete: called before the media moves, which must all be there by then.
    func move(_ complete: () throws(LibavError) -> Void = {}) throws(LibavError) {
        let file = SourceFile(descriptor: descriptor, name: "the output")
        let hole = try box(of: file, at: 0).end
        let media = hole + Int64(reserve)
        let (index, offset) = try last(of: file, from: media)
        let rest = reserve - index.count
        if rest == 0 || rest >= FastStart.smallest {
            try file.write(index + Box.free(rest), at: hole, FastStart.act)
            return try file.truncate(to: offset, FastStart.act)
        }
        try complete()
        // A remainder too small for a box gets a larger one.
        let filler = rest > 0 ? Box.free(FastStart.smallest) : []
        let moved = MovieIndex(index).moved(beyond: hole) { Int64($0 + filler.count - reserve) }
        try file.truncate(to: offset, FastStart.act)
        try SourceFile(descriptor: descriptor, name: file.name).move(
            from: media, by: Int64(moved.count + filler.count - reserve), FastStart.act)
        try file.write(moved + filler, at: hole, FastStart.act)
    }

    /// The index, which is the last box of the file, and its offset.
    private func last(
        of file: SourceFile, from start: Int64
    ) throws(LibavError) -> (index: [UInt8], offset: Int64) {
        var offset = start
        while offset < file.size {
            let box = try box(of: file, at: offset)
            guard box.name != "moov" else {
                guard box.end == file.size else { break }
                let index = file.bytes(at: offset, count: Int(box.size))
                guard index.count == box.size else {
                    throw LibavError(FastStart.act, cause: "the index cannot be read")
                }
                return (index, offset)
            }
            offset = box.end
        }
        throw LibavError(FastStart.act, cause: "the movie has no index at its end")
    }

    private func box(of file: SourceFile, at offset: Int64) throws(LibavError) -> BoxHeader {
        guard let box = BoxHeader(file.bytes(at: offset, count: BoxHeader.longest), at: offset) else {
            throw LibavError(FastStart.act, cause: "the movie breaks off, or a box has no size")
        }
        return box
    }
}
