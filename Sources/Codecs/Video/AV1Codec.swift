// AV1: each key frame of head and tail carries its own sequence header, and so must copied ones.

/// AV1.
package enum AV1Codec: VideoCodec {
    package static let names: Set<String> = ["av1"]

    package static func hasHeader(_ sample: [UInt8]) -> Bool { AV1Unit(sample[...]).hasSequenceHeader }

    package static let needsOwnHeaders = true

    package static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        AccessUnit(randomAccess: AV1Unit(sample).isKey ? .closed : .none)
    }

    package static func isNonShown(_ sample: Span<UInt8>) -> Bool {
        AV1Unit.isNonShown(sample)
    }

    package static func isWhole(_ sample: [UInt8]) -> Bool { AV1Unit.isWhole(sample[...]) }

    package static func levelText(_ level: Int32) -> String { "\(2 + level / 4).\(level % 4)" }
}
