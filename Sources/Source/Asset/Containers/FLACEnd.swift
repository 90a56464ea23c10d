// Finds where the frames of a FLAC file end: FFmpeg reads one that breaks off as if the rest were damaged. Reads the header and the last
// frame's header (RFC 9639, 8.2 and 9.1), never media; keeps nothing.
internal import Codecs
internal import ISOMedia
internal import Libav
internal import MediaTime

/// How far a FLAC file's frames go.
struct FLACEnd: Equatable {
    /// The samples that the frames hold, up to the last header in the file, and those that the stream has by its header.
    let samples: Int64, total: Int64
    /// Samples a second.
    let rate: Int32

    /// Where the frames end, and where the stream should.
    var times: (end: Time, total: Time) { (Time(samples, rate), Time(total, rate)) }

    /// Bytes at the end in which the last frame's header is looked for: two frames of eight channels at 24 bits.
    private static let reach = 256 << 10
    /// The last header's number of bytes at most: a number of seven, a block size and a rate of two, and a checksum.
    private static let longestHeader = 16

    /// Nil where the file has no header of its own, or that does not tell its length.
    init?(_ source: SourceFile) {
        guard source.isOneFile, let format = Format(source) else { return nil }
        let from = max(0, source.size - Int64(FLACEnd.reach))
        let tail = source.bytes(at: from, count: FLACEnd.reach)
        for place in tail.indices.reversed() where tail[place] == 0xFF {
            guard let end = format.end(ofFrame: Array(tail[place...].prefix(FLACEnd.longestHeader))) else {
                continue
            }
            (samples, total, rate) = (end, format.total, format.rate)
            return
        }
        return nil
    }

    /// The stream's header.
    private struct Format {
        let block: Int64, total: Int64, rate: Int32
        /// The codes that each frame's header repeats: channels less one, and bits of a sample.
        let channels: Int, bits: Int

        init?(_ source: SourceFile) {
            let header = source.bytes(at: 0, count: 42)
            guard header.count == 42, header.starts(with: Array("fLaC".utf8)), header[4] & 0x7F == 0 else {
                return nil
            }
            let packed = BigEndian.value(header[18..<26])
            block = Int64(BigEndian.value(header[10..<12]))
            (rate, total) = (Int32(packed >> 44), Int64(packed & 0xF_FFFF_FFFF))
            (channels, bits) = (Int(packed >> 41 & 7), Int(packed >> 36 & 31) + 1)
            guard rate > 0, total > 0 else { return nil }
        }

        /// The sample after the last of a frame; nil: these bytes are no frame's header of this stream.
        func end(ofFrame bytes: [UInt8]) -> Int64? {
            guard bytes.count > 6, bytes[1] & 0xFE == 0xF8, bytes[3] & 1 == 0 else { return nil }
            let (sizeCode, layout, depth) = (Int(bytes[2] >> 4), Int(bytes[3] >> 4), Int(bytes[3] >> 1 & 7))
            let depths = [0: bits, 1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32]
            guard depths[depth] == bits, layout == channels || channels == 1 && 8...10 ~= layout,
                let (number, next) = Format.number(bytes)
            else { return nil }
            var place = next
            func take(_ count: Int) -> Int64? {
                guard place + count <= bytes.count else { return nil }
                defer { place += count }
                return Int64(BigEndian.value(bytes[place..<(place + count)]))
            }
            let size: Int64? =
                switch sizeCode {
                case 1: 192
                case 2...5: 576 << (sizeCode - 2)
                case 6: take(1).map { $0 + 1 }
                case 7: take(2).map { $0 + 1 }
                case 8...15: 256 << (sizeCode - 8)
                default: nil
                }
            if 12...14 ~= bytes[2] & 15 { place += bytes[2] & 15 == 12 ? 1 : 2 }
            guard let size, place < bytes.count, Checksum.atm8.holds(bytes[...place]) else {
                return nil
            }
            // A stream of one block size numbers frames, others samples.
            let end = (bytes[1] & 1 == 0 ? number * block : number) + size
            return end <= total ? end : nil
        }

        /// The number after the first four bytes, written as UTF-8 writes characters, and where it ends.
        private static func number(_ bytes: [UInt8]) -> (number: Int64, next: Int)? {
            let first = bytes[4]
            guard first >= 0x80 else { return (Int64(first), 5) }
            let more = (~first).leadingZeroBitCount - 1
            guard 1...6 ~= more, 5 + more <= bytes.count else { return nil }
            var number = more == 6 ? 0 : Int64(first & (0x3F >> UInt8(more)))
            for byte in bytes[5..<(5 + more)] {
                guard byte >> 6 == 2 else { return nil }
                number = number << 6 | Int64(byte & 0x3F)
            }
            return (number, 5 + more)
        }
    }
}
