// Theora: three headers, stored by the container, hold the tables with which all frames are coded.

/// Theora.
package enum TheoraCodec: VideoCodec {
    package static let names: Set<String> = ["theora"]

    /// An empty sample repeats the previous frame.
    package static func isWhole(_ sample: [UInt8]) -> Bool { sample.first.map { $0 & 0x80 == 0 } ?? true }
}
