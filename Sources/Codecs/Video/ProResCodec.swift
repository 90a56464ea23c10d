// ProRes: every frame is a key frame, so nothing is encoded at a cut.

/// ProRes 422 and 4444.
enum ProResCodec: VideoCodec {
    static let names: Set<String> = ["prores"]
    static var isTimedByIndex: Bool { true }

    /// SMPTE RDD 36: begins with the frame size and identifier; some writers pad, and fields are two frames.
    static func isWhole(_ sample: [UInt8]) -> Bool {
        guard sample.count >= 8, sample[4..<8].elementsEqual(Array("icpf".utf8)) else { return false }
        return sample[0..<4].reduce(0) { $0 << 8 | Int($1) } <= sample.count
    }
}
