// Raw streams made by real encoders, and the packets of their frames.
@testable import Codecs
@testable import Export

/// A raw stream.
enum EncodedStream {
    /// Encodes test frames; the words name the encoder and its options.
    static func make(_ words: [String], format: String, seconds: String = "2", filters: String = "null")
        throws
        -> [UInt8]
    {
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=160x128:r=25:d=\(seconds),\(filters),format=yuv420p",
                "-threads", "1",
            ]
                + words + ["-f", format, "-"])
    }

    static func h264(_ parameters: String, words: [String] = [], filters: String = "null") throws -> [UInt8] {
        try make(
            ["-c:v", "libx264", "-preset", "veryfast", "-x264-params", parameters] + words, format: "h264",
            filters: filters)
    }

    static func hevc(_ parameters: String) throws -> [UInt8] {
        try make(
            ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:" + parameters],
            format: "hevc")
    }

    /// The packets of a stream with one slice per frame.
    static func packets(_ stream: [UInt8], isHEVC: Bool = false) -> [[UInt8]] {
        var packets: [[ArraySlice<UInt8>]] = [[]]
        var hasSlice = false
        for nal in NALUnits(stream[...], framing: .annexB) {
            let type = isHEVC ? (nal.first ?? 0) >> 1 & 63 : (nal.first ?? 0) & 31
            let isSlice = isHEVC ? type < 32 : (1...5).contains(type)
            if hasSlice, !(isHEVC && type == 40) {
                packets.append([])
                hasSlice = false
            }
            packets[packets.count - 1].append(nal)
            hasSlice = hasSlice || isSlice
        }
        return packets.compactMap { NALFraming.annexB.join($0) }
    }
}
