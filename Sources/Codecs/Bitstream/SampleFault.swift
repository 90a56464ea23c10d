// Faults in the structure of stored samples.

/// Checks a sample of one track; returns its fault, or nil if none is detectable.
package typealias SampleCheck = @Sendable ([UInt8]) -> SampleFault?

/// A fault in the structure of a stored sample.
package enum SampleFault: Hashable {
    case malformed, wrongChecksum, truncatedUnit, unknownUnit, missingParameters, noCompleteFrame

    /// A sentence without its subject.
    /// - Parameter codec: FFmpeg's name of the codec.
    package func sentence(_ codec: String) -> String {
        switch self {
        case .malformed: "is not built as \(codec) is"
        case .wrongChecksum: "has a wrong checksum"
        case .truncatedUnit: "breaks off within a unit"
        case .unknownUnit: "has a unit of no kind"
        case .missingParameters: "refers to parameters that are not there"
        case .noCompleteFrame: "holds no complete frame"
        }
    }
}
