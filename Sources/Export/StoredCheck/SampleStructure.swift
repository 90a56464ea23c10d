// Checks whether a stored sample has the structure its codec requires, as far as possible without decoding: units that fill it,
// headers that refer to existing sets, checksums where the codec has them. Pure. Finds truncated, misplaced or overwritten
// samples, and all damage in codecs with checksums; in others, damage inside coded video or audio shows only when decoded.
internal import Libav
internal import Media

/// The expected structure of a track's samples.
struct SampleStructure {
    private let codec: String
    private let framing: NALFraming
    private let bitstream: BitstreamCodec?
    /// Picture parameter sets that slices may refer to; empty if the samples carry them.
    private let pictureSets: Set<Int>
    /// FFV1 slices carry checksums.
    private let hasSliceChecksums: Bool

    init(_ track: Track, header: [UInt8], first: [UInt8]) {
        codec = track.codec
        bitstream = BitstreamCodec(track.codec)
        framing = bitstream.map { NALFraming(extradata: header, codec: $0) } ?? .annexB
        switch bitstream {
        case .h264? where framing != .annexB:
            pictureSets = Set(H264ParameterSets(extradata: header[...]).pictures.map(\.set.id))
        case .hevc? where framing != .annexB:
            pictureSets = Set(HEVCParameterSets(extradata: header[...]).pictureIDs)
        default: pictureSets = []
        }
        hasSliceChecksums =
            codec == "ffv1" && !header.isEmpty && FFV1Slices(first, areChecked: true)?.areWhole == true
    }

    /// The fault of a sample, as a sentence without its subject; nil: none detectable.
    func fault(in bytes: [UInt8]) -> String? {
        if let bitstream { return bitstream == .mpeg2 ? mpeg2(bytes) : units(bytes, bitstream) }
        if let isWhole = checksum(of: bytes) { return isWhole ? nil : "has a wrong checksum" }
        let isWell =
            switch codec {
            case "mpeg4": StartCodes.split(bytes).contains { $0.code == 0xB6 }
            case "vp8": isVP8(bytes)
            case "vp9": bytes.first.map { $0 >> 6 == 2 } ?? false
            case "av1": AV1Unit.isWhole(bytes[...])
            // An empty sample repeats the previous frame.
            case "theora": bytes.first.map { $0 & 0x80 == 0 } ?? true
            case "prores": isProRes(bytes)
            case "mjpeg": bytes.starts(with: [0xFF, 0xD8])
            case "mp2", "mp3": bytes.count >= 4 && bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0
            case "ac3", "eac3": bytes.starts(with: [0x0B, 0x77])
            case "vorbis": bytes.first.map { $0 & 1 == 0 } ?? false
            default: !bytes.isEmpty
            }
        return isWell ? nil : "is not built as \(codec) is"
    }

    /// Whether a sample's checksums match; nil if it has none.
    private func checksum(of bytes: [UInt8]) -> Bool? {
        switch codec {
        case "ffv1" where hasSliceChecksums: FFV1Slices(bytes, areChecked: true)?.areWhole == true
        case "ac3" where bytes.starts(with: [0x0B, 0x77]): Checksum.ansi16.holds(bytes[2...])
        case "flac": Checksum.ansi16.holds(bytes[...])
        default: nil
        }
    }

    private func units(_ bytes: [UInt8], _ bitstream: BitstreamCodec) -> String? {
        let units = NALUnits(bytes[...], framing: framing)
        guard units.isWhole else { return "breaks off within a unit" }
        guard units.allSatisfy({ $0.first.map { $0 < 0x80 } ?? false }) else {
            return "has a unit of no kind"
        }
        let unit = AccessUnit.classify(bytes[...], codec: bitstream, framing: framing)
        guard
            pictureSets.isEmpty || unit.hasParameterSets
                || unit.usedPictureSetIDs.isSubset(of: pictureSets)
        else { return "refers to parameters that are not there" }
        return nil
    }

    private func mpeg2(_ bytes: [UInt8]) -> String? {
        let codes = StartCodes.split(bytes).map(\.code)
        guard codes.contains(0x00), codes.contains(where: { 1...0xAF ~= $0 }) else {
            return "holds no complete frame"
        }
        return nil
    }

    /// RFC 6386, 9.1.
    private func isVP8(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 3 else { return bytes.isEmpty }
        let isKey = bytes[0] & 1 == 0
        let first = (Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16) >> 5
        guard first <= bytes.count - (isKey ? 10 : 3) else { return false }
        return !isKey || Array(bytes[3..<6]) == [0x9D, 0x01, 0x2A]
    }

    /// SMPTE RDD 36: begins with the frame size and identifier; some writers pad, and fields are two frames.
    private func isProRes(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8, bytes[4..<8].elementsEqual(Array("icpf".utf8)) else { return false }
        return bytes[0..<4].reduce(0) { $0 << 8 | Int($1) } <= bytes.count
    }
}

/// The slices of an FFV1 frame, found from their trailers: the size in three bytes and, where they are checked, a status byte and
/// a four-byte checksum (RFC 9043, 4.9).
struct FFV1Slices {
    private let bytes: [UInt8]
    private(set) var ranges: [Range<Int>] = []

    /// The slices that fill a sample; nil if none do.
    init?(_ bytes: [UInt8], areChecked: Bool) {
        self.bytes = bytes
        let tail = areChecked ? 8 : 3
        var end = bytes.count
        while end >= tail {
            let size = bytes[(end - tail)..<(end - tail + 3)].reduce(0) { $0 << 8 | Int($1) }
            guard size + tail <= end else { return nil }
            ranges.append((end - tail - size)..<end)
            end -= size + tail
        }
        guard end == 0, !ranges.isEmpty else { return nil }
    }

    /// All checksums match.
    var areWhole: Bool { ranges.allSatisfy { Checksum.ieee32.holds(bytes[$0]) } }
}
