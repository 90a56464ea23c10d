// One sample of a video track as it is stored, without its bytes: what a plan needs to know. A value.
internal import MediaTime

/// A stored picture, in the track's own ticks.
struct StoredSample: Hashable, Sendable {
    /// How well decoding can begin at a sample.
    enum Access: Hashable, Sendable {
        /// It refers to others.
        case none
        /// It, and everything shown after it, decodes without what lies before it.
        case closed
        /// Pictures that follow it and are shown before it refer to what lies before it.
        case open
        /// Decoding can begin, but a decoder that has begun elsewhere must not be told so: a recovery point.
        case recovery
    }
    var pts: Int64
    /// 0 where unknown.
    var duration: Int64
    var size: Int
    /// The container or parser calls it a sync sample.
    var isKey: Bool
    var access: Access
    /// The second field of a frame whose fields are samples of their own.
    var isSecondField = false
}

/// Stored samples around a cut point, in decoding order.
struct SampleWindow: Sendable {
    var samples: [StoredSample]
    /// The window begins where the track does.
    var isFromBeginning: Bool
    /// The window ends where the track does.
    var isToEnd: Bool
    /// No sample that follows is shown before this; nil while nothing is known. Containers' decoding times are missing
    /// or wrong too often to be asked: H.264 and HEVC allow sixteen pictures to be held back.
    private(set) var reach: Int64?
    private var latest: [Int64] = []

    init(samples: [StoredSample], isFromBeginning: Bool, isToEnd: Bool) {
        self.samples = samples
        self.isFromBeginning = isFromBeginning
        self.isToEnd = isToEnd
    }

    /// Tells of a sample that was added.
    mutating func note(_ pts: Int64) {
        latest.insert(pts, at: latest.partitioningIndex { $0 > pts })
        if latest.count > SmartTrimFault.deepest { reach = latest.removeFirst() }
    }
}
