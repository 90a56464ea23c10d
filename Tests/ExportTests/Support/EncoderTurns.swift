// Encoders that one process cannot have two of at a time take turns.
import Foundation
import Media

@testable import Codecs

/// SVT-AV1 1.4 keeps what it knows of blocks in variables of the process, which encoders of other settings overwrite: two at once
/// read beyond their tables. A worker has one at a time, and so have tests.
private let svtLock = NSRecursiveLock()

/// Runs an export alone if SVT-AV1 may encode in it.
func withEncoders<Result>(of request: ExportRequest, _ body: () throws -> Result) rethrows -> Result {
    let usesSVT = request.preset.video?.encoder == "libsvtav1" || request.options?.videoCodec == .av1
    return usesSVT ? try svtLock.withLock(body) : try body()
}
