// Motion JPEG: every frame is a JPEG picture, so nothing is encoded at a cut.

/// JPEG pictures.
enum MotionJPEGCodec: VideoCodec {
    static let names: Set<String> = ["mjpeg"]

    static func isWhole(_ sample: [UInt8]) -> Bool { sample.starts(with: [0xFF, 0xD8]) }
}
