// FFV1: since version 3 a header in the container says how all frames are coded; before that, each key frame does.

/// FFV1.
package enum FFV1Codec: VideoCodec {
    package static let names: Set<String> = ["ffv1"]

    package static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
        guard !header.isEmpty, FFV1Slices(first, areChecked: true)?.areWhole == true else {
            return { $0.isEmpty ? .malformed : nil }
        }
        return { FFV1Slices($0, areChecked: true)?.areWhole == true ? nil : .wrongChecksum }
    }
}
