// Head and tail of MPEG-1 and MPEG-2 video: FFmpeg's encoders at the finest quantiser.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

extension MPEG12Codec: HeadTailCodec {
    /// Frames per second by their code in a sequence header, from 1 (ITU-T H.262, table 6-4).
    private static let rates: [(Int64, Int64)] = [
        (24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1), (50, 1), (60_000, 1001), (60, 1),
    ]

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let lead = header(of: stored)
        var setup = headTail.quantised(headTail.track.codec, flags: "+cgop", rate: rate(named: lead))
        // Decoders that find another kind of sequence begin anew, and lose the frame that waits to be shown. Film on DVD is an interlaced
        // sequence of progressive frames.
        setup.isInterlaced =
            headTail.track.codec == "mpeg2video" && isInterlaced(lead) ?? headTail.isInterlaced
        setup.options += [("bf", headTail.delay > 0 ? "2" : "0"), ("sc_threshold", "1000000000")]
        return HeadTailJoin(setup: setup, copiedLead: lead)
    }

    /// The rate that a sequence header names; nil if there is none. The encoder takes no rate without a code, as the mean one of frames
    /// of which some are shown for longer.
    private static func rate(named header: [UInt8]) -> Ratio? {
        guard header.count > 7 else { return nil }
        let code = Int(header[7] & 15)
        guard rates.indices.contains(code - 1) else { return nil }
        return Ratio(rates[code - 1].0, rates[code - 1].1)
    }

    /// Whether a sequence may hold interlaced frames (progressive_sequence, ITU-T H.262, 6.3.5); nil: it has no extension that says so.
    private static func isInterlaced(_ header: [UInt8]) -> Bool? {
        StartCodes.split(header).lazy.filter { $0.code == 0xB5 && $0.bytes.count > 5 }
            .map { Array($0.bytes.dropFirst(4).prefix(2)) }.first { $0[0] >> 4 == 1 }
            .map { $0[1] & 0x08 == 0 }
    }
}
