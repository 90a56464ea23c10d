// MPEG-1 and MPEG-2 video: the sequence header is in the stream, usually before each group of pictures.
internal import Libav
internal import Media

/// Uses FFmpeg's encoders at the finest quantiser.
enum MPEG12HeadTail: HeadTailCodec {
    static let names: Set<String> = ["mpeg1video", "mpeg2video"]

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        var setup = edge.quantised(edge.track.codec, flags: "+cgop")
        setup.isInterlaced = edge.isInterlaced && edge.track.codec == "mpeg2video"
        setup.options += [("bf", edge.delay > 0 ? "2" : "0"), ("sc_threshold", "1000000000")]
        return HeadTailJoin(setup: setup, copiedLead: header(of: stored))
    }

    static func hasHeader(_ sample: [UInt8]) -> Bool { sample.starts(with: [0, 0, 1, 0xB3]) }

    /// The sequence header and its extensions, from wherever the stream has one.
    static func header(of stored: StoredStream) -> [UInt8] {
        for bytes in [stored.header, stored.first] where hasHeader(bytes) {
            // Its extension and user data; a group or a picture follows.
            let parts = StartCodes.split(bytes).prefix { [0xB3, 0xB5, 0xB2].contains($0.code) }
            return parts.flatMap { Array($0.bytes) }
        }
        return []
    }
}
