// Makes a track of a finished movie end before its last sample: sets the duration of its edit, of the track and of the movie,
// which libavformat's muxer always counts to the end of the samples. Overwrites numbers in existing boxes; moves nothing.
internal import Glibc
internal import ISOMedia
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// Changes a movie that was just written.
struct EditListPatch {
    /// Open for reading and writing.
    let descriptor: Int32

    /// Sets the duration of a track and of its timecode track, which the muxer makes as long as all video samples. The movie
    /// becomes as long as its longest track.
    /// - Parameters:
    ///   - index: the track's index in the file.
    ///   - setsTimecode: timecode tracks get the same duration.
    func setLength(
        ofTrack index: Int, to length: Time, setsTimecode: Bool = true
    ) throws(MediaError) {
        let tracks = try parts().filter { $0.name == "trak" }
        for trackIndex in tracks.indices {
            let isTimecode = try handler(of: tracks[trackIndex]) == "tmcd"
            guard trackIndex == index || (setsTimecode && isTimecode) else { continue }
            try setLength(at: trackIndex, to: length)
        }
    }

    /// The handler type (four characters) of a track.
    private func handler(of track: BoxHeader) throws(MediaError) -> String? {
        guard let media = try boxes(from: track.body, to: track.end).first(where: { $0.name == "mdia" }),
            let head = try boxes(from: media.body, to: media.end).first(where: { $0.name == "hdlr" })
        else { return nil }
        return String(decoding: try bytes(at: head.body + 8, count: 4), as: UTF8.self)
    }

    private func parts() throws(MediaError) -> [BoxHeader] {
        let top = try boxes(from: 0, to: try size())
        guard let movie = top.first(where: { $0.name == "moov" }) else { throw missing("moov") }
        return try boxes(from: movie.body, to: movie.end)
    }

    private func setLength(at index: Int, to length: Time) throws(MediaError) {
        let parts = try parts()
        let tracks = parts.filter { $0.name == "trak" }
        guard let header = parts.first(where: { $0.name == "mvhd" }), tracks.indices.contains(index) else {
            throw missing("mvhd")
        }
        let isWide = try number(at: header.body, bytes: 1) == 1
        let scale = try number(at: header.body + (isWide ? 20 : 12), bytes: 4)
        guard let timescale = Int32(exactly: scale), timescale > 0 else { throw missing("the timescale") }
        let ticks = length.converted(to: timescale, rounding: .halfAwayFromZero).value
        try setEdit(of: tracks[index], to: ticks)
        var longest: Int64 = 0
        for track in tracks {
            guard let box = try boxes(from: track.body, to: track.end).first(where: { $0.name == "tkhd" })
            else {
                throw missing("tkhd")
            }
            let isWide = try number(at: box.body, bytes: 1) == 1
            let (offset, bytes) = isWide ? (box.body + 28, 8) : (box.body + 20, 4)
            if track.body == tracks[index].body { try write(ticks, at: offset, bytes: bytes) }
            longest = max(longest, try number(at: offset, bytes: bytes))
        }
        try write(longest, at: header.body + (isWide ? 24 : 16), bytes: isWide ? 8 : 4)
    }

    private func setEdit(of track: BoxHeader, to ticks: Int64) throws(MediaError) {
        guard let edits = try boxes(from: track.body, to: track.end).first(where: { $0.name == "edts" }),
            let list = try boxes(from: edits.body, to: edits.end).first(where: { $0.name == "elst" })
        else { throw missing("elst") }
        let isWide = try number(at: list.body, bytes: 1) == 1
        let bytes = isWide ? 8 : 4
        let count = try number(at: list.body + 4, bytes: 4)
        guard count > 0 else { throw missing("elst") }
        // An empty edit may come before the edit that shows the samples.
        let last = list.body + 8 + (count - 1) * Int64(2 * bytes + 4)
        let before = try (0..<(count - 1)).map { index throws(MediaError) in
            try number(at: list.body + 8 + index * Int64(2 * bytes + 4), bytes: bytes)
        }.reduce(0, +)
        try write(max(1, ticks - before), at: last, bytes: bytes)
    }

    // MARK: Reading and writing

    private func boxes(from start: Int64, to end: Int64) throws(MediaError) -> [BoxHeader] {
        var boxes: [BoxHeader] = []
        var offset = start
        while offset + 8 <= end {
            let head = try bytes(at: offset, count: Int(min(end - offset, Int64(BoxHeader.longest))))
            guard let box = BoxHeader(head, at: offset), box.end <= end else { throw missing("a box's size") }
            boxes.append(box)
            offset = box.end
        }
        return boxes
    }

    private func size() throws(MediaError) -> Int64 {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { throw failed("reading") }
        return Int64(size)
    }

    private func bytes(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
        let bytes = SourceFile(descriptor: descriptor, size: 0, name: "the output").bytes(
            at: offset, count: count)
        guard bytes.count == count else { throw failed("reading") }
        return bytes
    }

    private func number(at offset: Int64, bytes count: Int) throws(MediaError) -> Int64 {
        Int64(clamping: BigEndian.value(try bytes(at: offset, count: count)))
    }

    private func write(_ number: Int64, at offset: Int64, bytes count: Int) throws(MediaError) {
        do throws(LibavError) {
            try SourceFile(descriptor: descriptor, size: 0, name: "the output").write(
                BigEndian.bytes(number, count), at: offset, "writing the output's edit list")
        } catch { throw MediaError(error, fallback: .inputOutput) }
    }

    private func failed(_ act: String) -> MediaError {
        MediaError(LibavError("\(act) the output's edit list", code: -errno), fallback: .inputOutput)
    }

    private func missing(_ what: String) -> MediaError {
        MediaError(.encodeFailed, "the output has no \(what) where one was written")
    }
}
