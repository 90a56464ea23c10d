// Brings the index of a movie ("moov") before its media, so that players can begin before all is loaded. Space for it was kept
// free there; what fits costs one write of the index, and no sample is touched. What does not fit moves the media, and the
// places of samples in the index with it. Works on the output's descriptor after the muxer is done with it; syncs nothing.
internal import CFFmpeg
internal import Glibc

/// A movie whose index lies behind its media.
struct FastStart {
    let descriptor: Int32
    /// Bytes kept free between the first box and the media.
    let reserve: Int

    private static let act = "putting the index before the media"
    /// Bytes moved at a time.
    private static let step = 4 << 20

    /// Moves the index.
    func move() throws(LibavError) {
        let hole = try box(at: 0).size
        let media = hole + reserve
        let (found, place) = try last(from: media)
        var index = found
        let rest = reserve - index.count
        if rest == 0 || rest >= 8 {
            try write(index + FastStart.free(rest), at: hole)
            try truncate(place)
        } else {
            let distance = index.count - reserve
            FastStart.shift(&index, in: 0..<index.count, by: distance)
            try moveMedia(from: media, to: place, by: distance)
            try write(index, at: hole)
            try truncate(place + distance)
        }
    }

    /// The index, which is the last box of the file, and its place.
    private func last(from start: Int) throws(LibavError) -> (index: [UInt8], place: Int) {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var place = start
        while place < size {
            let (type, length) = try box(at: place)
            if type == "moov" { break }
            place += length
        }
        guard place < size, place + (try box(at: place).size) == size else {
            throw LibavError(FastStart.act, cause: "the movie has no index at its end")
        }
        return (try read(at: place, size - place), place)
    }

    /// A box that says that its bytes mean nothing; none for no bytes.
    private static func free(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        return number(count) + Array("free".utf8) + [UInt8](repeating: 0, count: count - 8)
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// The media begins later: from its end on, so that nothing is overwritten before it was read.
    private func moveMedia(from start: Int, to end: Int, by distance: Int) throws(LibavError) {
        var stop = end
        while stop > start {
            let from = max(start, stop - FastStart.step)
            try write(try read(at: from, stop - from), at: from + distance)
            stop = from
        }
    }

    /// Moves the places of samples that an index names (stco, co64), in all boxes that hold others.
    private static func shift(_ bytes: inout [UInt8], in range: Range<Int>, by distance: Int) {
        func value(_ at: Int, _ width: Int) -> Int {
            bytes[at..<at + width].reduce(0) { $0 << 8 | Int($1) }
        }
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            let size = value(at, 4)
            guard size >= 8, at + size <= range.upperBound else { return }
            let type = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
            switch type {
            case "moov", "trak", "mdia", "minf", "stbl": shift(&bytes, in: at + 8..<at + size, by: distance)
            case "stco", "co64":
                let width = type == "stco" ? 4 : 8
                for entry in 0..<min(value(at + 12, 4), (size - 16) / width) {
                    let place = at + 16 + entry * width
                    let moved = value(place, width) + distance
                    for byte in 0..<width {
                        bytes[place + byte] = UInt8(truncatingIfNeeded: moved >> (8 * (width - 1 - byte)))
                    }
                }
            default: break
            }
            at += size
        }
    }

    private func box(at place: Int) throws(LibavError) -> (type: String, size: Int) {
        let head = try read(at: place, 16)
        let type = String(decoding: head[4..<8], as: UTF8.self)
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let whole = size == 1 ? head[8..<16].reduce(0) { $0 << 8 | Int($1) } : size
        guard whole >= 8 else {
            throw LibavError(FastStart.act, cause: "the box '\(type)' has \(whole) bytes")
        }
        return (type, whole)
    }

    private func read(at place: Int, _ count: Int) throws(LibavError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done, place + done)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw LibavError(FastStart.act, code: trim_averror(got < 0 ? errno : EIO)) }
            done += got
            LibavPulse.beat()
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], at place: Int) throws(LibavError) {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress.map { unsafe $0 + done }, bytes.count - done, place + done)
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw LibavError(FastStart.act, code: trim_averror(put < 0 ? errno : EIO)) }
            done += put
            LibavPulse.beat()
        }
    }

    private func truncate(_ size: Int) throws(LibavError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw LibavError(FastStart.act, code: trim_averror(errno))
        }
    }
}
