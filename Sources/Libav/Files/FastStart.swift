// Moves the index of a movie ("moov") before its media, so that players can begin before the file is loaded. Space for it was
// reserved there; an index that fits costs one write, and no sample moves. Otherwise the media moves, and with it the sample
// offsets in the index. Works on the output's descriptor after the muxer has finished; does not sync.
internal import CFFmpeg

/// A movie whose index follows its media.
struct FastStart {
    let descriptor: Int32
    /// Bytes reserved between the first box and the media.
    let reserve: Int

    private static let act = "putting the index before the media"
    /// The shortest box: its size and type.
    private static let smallest = 8

    /// Moves the index.
    func move() throws(LibavError) {
        let file = SourceFile(descriptor: descriptor, name: "the output")
        let hole = try box(of: file, at: 0).size
        let media = hole + Int64(reserve)
        let (index, place) = try last(of: file, from: media)
        let rest = reserve - index.count
        if rest == 0 || rest >= FastStart.smallest {
            try file.write(index + FastStart.free(rest), at: hole, FastStart.act)
            return try file.truncate(to: place, FastStart.act)
        }
        // A remainder too small for a box gets a larger one.
        let filler = rest > 0 ? FastStart.free(FastStart.smallest) : []
        let moved = MovieIndex(index).moved(beyond: hole) { Int64($0 + filler.count - reserve) }
        try file.truncate(to: place, FastStart.act)
        try SourceFile(descriptor: descriptor, name: file.name).move(
            from: media, by: Int64(moved.count + filler.count - reserve), FastStart.act)
        try file.write(moved + filler, at: hole, FastStart.act)
    }

    /// The index, which is the last box of the file, and its offset.
    private func last(
        of file: SourceFile, from start: Int64
    ) throws(LibavError) -> (index: [UInt8], place: Int64) {
        var place = start
        while place < file.size {
            let (type, size) = try box(of: file, at: place)
            guard type != "moov" else {
                guard place + size == file.size else { break }
                let index = file.bytes(at: place, count: Int(size))
                guard index.count == size else {
                    throw LibavError(FastStart.act, cause: "the index cannot be read")
                }
                return (index, place)
            }
            place += size
        }
        throw LibavError(FastStart.act, cause: "the movie has no index at its end")
    }

    /// A free box; nothing for zero bytes.
    private static func free(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        let size = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        return size + Array("free".utf8) + [UInt8](repeating: 0, count: count - smallest)
    }

    private func box(of file: SourceFile, at place: Int64) throws(LibavError) -> (type: String, size: Int64) {
        let head = file.bytes(at: place, count: 16)
        guard head.count >= FastStart.smallest else {
            throw LibavError(FastStart.act, cause: "the movie breaks off")
        }
        func value(_ bytes: ArraySlice<UInt8>) -> Int64 {
            Int64(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let type = String(decoding: head[4..<8], as: UTF8.self)
        let size = value(head[0..<4])
        let whole = size == 1 ? value(head[8...]) : size
        guard whole >= FastStart.smallest else {
            throw LibavError(FastStart.act, cause: "the box '\(type)' has \(whole) bytes")
        }
        return (type, whole)
    }
}
