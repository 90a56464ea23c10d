// The layout of an MP3 frame (ISO/IEC 11172-3, 2.4.1; 13818-3): header, side information, and the bytes of audio, which may belong
// to later frames: the bit reservoir.

/// The layout of an MP3 frame.
package struct MP3Frame {
    /// Bytes before the audio: header, checksum and side information.
    package let head: Int
    /// How many bytes before its own audio the frame's audio begins, at most 511.
    package let reach: Int
    /// Bytes of the frame, according to its header.
    package let size: Int
    private let header: ArraySlice<UInt8>
    /// Bytes of the side information.
    package var sideBytes: Int { MP3Frame.sideBytes(header) }

    /// The frame of a packet; nil if it is not layer III, or its header does not say how long it is.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count > 6, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 else { return nil }
        header = bytes[0..<4]
        guard let size = MP3Frame.size(header, rateIndex: Int(bytes[2] >> 4)) else { return nil }
        self.size = size
        let checksum = bytes[1] & 1 == 0 ? 2 : 0
        head = 4 + checksum + MP3Frame.sideBytes(header)
        guard bytes.count >= head else { return nil }
        let side = 4 + checksum
        reach = MP3Frame.isFull(header) ? Int(bytes[side]) << 1 | Int(bytes[side + 1] >> 7) : Int(bytes[side])
    }

    /// MPEG-1, not the lower sample rates.
    private static func isFull(_ header: ArraySlice<UInt8>) -> Bool { header[1] & 0x18 == 0x18 }

    private static func sideBytes(_ header: ArraySlice<UInt8>) -> Int {
        let isMono = header[3] >> 6 == 3
        return isFull(header) ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }

    /// kbit/s, by the index in the header.
    private static let rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// Bytes of a frame with another bit rate; nil if there is no such index.
    private static func size(_ header: ArraySlice<UInt8>, rateIndex: Int, padded: Bool? = nil) -> Int? {
        let sampling = Int(header[2] >> 2 & 3)
        guard 1...14 ~= rateIndex, sampling < 3 else { return nil }
        let base = [44_100, 48_000, 32_000][sampling]
        let full = isFull(header)
        // The second bit of the version is 0 only in MPEG-2.5.
        let divisor = full ? 1 : header[1] & 0x10 != 0 ? 2 : 4
        let rate = (full ? rates : lowRates)[rateIndex - 1] * 1000
        let padding = padded ?? (header[2] & 2 != 0) ? 1 : 0
        return (full ? 144 : 72) * rate / (base / divisor) + padding
    }

    /// A silent frame like this one, whose bytes of audio end with a reservoir for the frame after it; nil if no bit rate has that
    /// many. Where it can, it has the same bit rate, so that a constant one stays so.
    package func silence(holding reservoir: [UInt8]) -> [UInt8]? {
        let head = 4 + MP3Frame.sideBytes(header)
        for index in Int(header[2] >> 4)...14 {
            guard let size = MP3Frame.size(header, rateIndex: index, padded: false) else { return nil }
            guard size >= head + reservoir.count else { continue }
            // Without a checksum and without padding; of length 0, since all its side information is 0.
            let start = [header[0], header[1] | 1, UInt8(index) << 4 | header[2] & 0x0D, header[3]]
            return start + [UInt8](repeating: 0, count: size - 4 - reservoir.count) + reservoir
        }
        return nil
    }
}

/// The bytes of audio that the next MP3 frame may refer to.
package struct MP3Reservoir {
    /// The furthest that a frame reaches back.
    private static let most = 511
    private var bytes: [UInt8] = []

    package init() {}

    /// Adds the audio of a frame that is left out.
    package mutating func add(_ packet: [UInt8]) {
        guard let frame = MP3Frame(packet), packet.count >= frame.head else { return bytes.removeAll() }
        bytes = Array((bytes + packet[frame.head...]).suffix(MP3Reservoir.most))
    }

    /// A silent frame that holds what a frame needs of the ones before it; nil if that cannot be stored.
    package func packet(before frame: [UInt8]) -> [UInt8]? {
        guard let next = MP3Frame(frame) else { return nil }
        let held = Array(bytes.suffix(next.reach))
        return next.silence(
            holding: [UInt8](repeating: 0, count: next.reach - held.count) + held)
    }
}
