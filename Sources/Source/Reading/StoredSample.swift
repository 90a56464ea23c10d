// One stored sample of a video track without its bytes: the input of a plan. A value.
internal import MediaTime

/// A stored frame, in the track's own ticks.
package struct StoredSample: Hashable, Sendable {
    /// How decoding can begin at a sample.
    package enum Access: Hashable, Sendable {
        /// It refers to other samples.
        case none
        /// It, and everything shown after it, decodes without earlier samples.
        case closed
        /// Frames that follow it and are shown before it refer to earlier samples.
        case open
        /// A recovery point: decoding can begin here, but the sample must not be marked as a sync sample for a decoder that began
        /// elsewhere.
        case recovery
    }
    package var pts: Int64
    /// 0 if unknown.
    package var duration: Int64
    package var size: Int
    /// The container or parser calls it a sync sample.
    package var isKey: Bool
    package var access: Access
    /// The second field of a frame whose fields are separate samples.
    package var isSecondField = false
}

/// Stored samples around a cut point, in decoding order.
package struct SampleWindow: Sendable {
    package var samples: [StoredSample]
    /// The window begins at the start of the track.
    package var isFromBeginning: Bool
    /// The window ends at the end of the track.
    package var isToEnd: Bool
    /// No later sample is shown before this time; nil while unknown. Decoding times in containers are missing or wrong too often
    /// to be used: H.264 and HEVC allow a reorder delay of 16 frames.
    package private(set) var reach: Int64?
    private var latest: [Int64] = []

    package init(samples: [StoredSample], isFromBeginning: Bool, isToEnd: Bool) {
        self.samples = samples
        self.isFromBeginning = isFromBeginning
        self.isToEnd = isToEnd
    }

    /// Records a sample that was added.
    package mutating func note(_ pts: Int64) {
        latest.insert(pts, at: latest.partitioningIndex { $0 > pts })
        if latest.count > ReorderDepth.deepest { reach = latest.removeFirst() }
    }
}
