// Pictures that no player shows where a stream begins: leading pictures of HEVC that refer to pictures before the first keyframe
// (RASL, H.265 8.3.3). Pure: bytes in, an answer out.
internal import CFFmpeg

extension Packet {
    /// NAL unit types of H.265, table 7-1: RASL_N and RASL_R; from the last one on they are no pictures.
    private static let skippedTypes: ClosedRange<UInt8> = 8...9
    private static let firstOther: UInt8 = 32

    /// Whether it is a picture that cannot be decoded if the keyframe before it is the first of its stream.
    func isSkippedLeading(_ parameters: CodecParameters) -> Bool {
        guard unsafe parameters.pointer.pointee.codec_id == AV_CODEC_ID_HEVC else { return false }
        let extradata = parameters.extradata
        // A configuration record says how long the lengths before NAL units are (ISO/IEC 14496-15, 8.3.3.1).
        let lengthSize = extradata.count > 22 && extradata[0] == 1 ? Int(extradata[21] & 3) + 1 : nil
        return Packet.firstPicture(bytes, lengthSize: lengthSize).map(Packet.skippedTypes.contains) ?? false
    }

    /// The type of the first NAL unit that is a picture.
    /// - Parameter lengthSize: bytes of the length before each; nil: start codes divide them.
    static func firstPicture(_ bytes: [UInt8], lengthSize: Int?) -> UInt8? {
        var at = 0
        while true {
            if let lengthSize {
                guard at + lengthSize < bytes.count else { return nil }
                let length = bytes[at..<(at + lengthSize)].reduce(0) { $0 << 8 | Int($1) }
                let type = bytes[at + lengthSize] >> 1 & 63
                if type < firstOther { return type }
                at += lengthSize + length
            } else {
                while at + 3 < bytes.count, bytes[at] != 0 || bytes[at + 1] != 0 || bytes[at + 2] != 1 {
                    at += 1
                }
                guard at + 3 < bytes.count else { return nil }
                let type = bytes[at + 3] >> 1 & 63
                if type < firstOther { return type }
                at += 3
            }
        }
    }
}
