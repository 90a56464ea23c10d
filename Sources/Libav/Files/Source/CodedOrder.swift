// When the frames of a track are shown whose container knows only the order in which they are stored. FFmpeg's MXF muxer writes H.264
// so: its index says of no frame that it is shown earlier or later than it is stored. The frames themselves have numbers in the order
// of presentation (picture order counts), and one frame fills one tick, so those numbers give exact times. Pure; a value.

/// The places in the order of presentation of a track's frames, by their places in the order of storage.
struct CodedOrder: Equatable, Sendable {
    /// The time of the first stored frame, in ticks.
    private let first: Int64
    private let shown: [Int32]
    /// The most frames that are stored before a frame and shown after it. Frames are decoded so many ticks before their place.
    let delay: Int64
    /// The most ticks by which a frame is shown after its place in the order of storage.
    let lead: Int64

    /// The most frames that H.264 holds back.
    private static let deepest = 16

    /// A track's order from the numbers of its frames; nil: they do not give one.
    /// - Parameters:
    ///   - first: the time that the container gives the first frame.
    ///   - sequences: picture order counts in the order of storage; those of a sequence count on from an IDR frame.
    init?(first: Int64, sequences: [[Int32]]) {
        var shown: [Int32] = []
        shown.reserveCapacity(sequences.reduce(0) { $0 + $1.count })
        for counts in sequences {
            let base = Int32(clamping: shown.count)
            var places = [Int32](repeating: 0, count: counts.count)
            let sorted = counts.indices.sorted { counts[$0] < counts[$1] }
            for (place, index) in sorted.enumerated() {
                if place > 0, counts[sorted[place - 1]] == counts[index] { return nil }
                places[index] = base + Int32(clamping: place)
            }
            shown += places
        }
        var (delay, lead): (Int64, Int64) = (0, 0)
        for (stored, place) in shown.enumerated() {
            delay = max(delay, Int64(stored) - Int64(place))
            lead = max(lead, Int64(place) - Int64(stored))
        }
        guard delay <= CodedOrder.deepest else { return nil }
        (self.first, self.shown, self.delay, self.lead) = (first, shown, delay, lead)
    }

    /// When a frame is shown; nil: it is none of the track's.
    /// - Parameter stored: the time that the container gives, in ticks.
    func presentation(ofStored stored: Int64) -> Int64? {
        let (index, isTooFar) = stored.subtractingReportingOverflow(first)
        guard !isTooFar, index >= 0, index < shown.count else { return nil }
        return first + Int64(shown[Int(index)])
    }
}
