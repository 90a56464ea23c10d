// When the frames of a track are shown whose container knows only the order in which they are stored. FFmpeg's MXF muxer writes H.264
// so: its index says of no frame that it is shown earlier or later than it is stored. AVI and ASF store the time at which a frame is
// decoded. The frames themselves have numbers in the order of presentation (picture order counts), which assign the stored times anew.
// Pure; a value.

/// The presentation times of a track's frames, by the times that the container stores.
struct CodedOrder: Equatable, Sendable {
    /// The stored times, in ticks; they ascend.
    private let stored: [Int64]
    /// The places in the order of presentation, by those in the order of storage.
    private let shown: [Int32]
    /// The frames that a decoder holds back before it shows the first; stored times are those at which it shows a frame.
    private let held: Int
    /// The most frames that are stored before a frame and shown after it.
    let delay: Int
    /// The most places by which a frame is shown after its place in the order of storage.
    let lead: Int

    /// The most frames that H.264 holds back.
    private static let deepest = 16

    /// A track's order from the numbers of its frames; nil: they do not give one.
    /// - Parameters:
    ///   - stored: the times that the container gives, in ticks, in the order of storage.
    ///   - sequences: picture order counts in the order of storage; those of a sequence count on from an IDR frame.
    ///   - held: the frames that a decoder holds back by the stream's headers, where stored times are those of decoding; nil: they
    ///     are times of presentation, of other frames.
    init?(stored: [Int64], sequences: [[Int32]], held: Int? = nil) {
        var shown: [Int32] = []
        shown.reserveCapacity(stored.count)
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
        guard shown.count == stored.count, zip(stored, stored.dropFirst()).allSatisfy({ $0 < $1 }) else {
            return nil
        }
        var (delay, lead) = (0, 0)
        for (index, place) in shown.enumerated() {
            delay = max(delay, index - Int(place))
            lead = max(lead, Int(place) - index)
        }
        guard delay <= CodedOrder.deepest else { return nil }
        (self.stored, self.shown, self.delay, self.lead) = (stored, shown, delay, lead)
        self.held = held.map { max($0, delay) } ?? 0
    }

    /// When a frame is decoded and shown; nil: it is none of the track's.
    /// - Parameter ticks: the time that the container gives.
    func times(ofStored ticks: Int64) -> (pts: Int64, dts: Int64)? {
        let index = place(upTo: ticks)
        guard index >= 0, stored[index] == ticks else { return nil }
        return (time(at: Int(shown[index]) + held), time(at: index + held - max(delay, held)))
    }

    /// The stored time of the frame after another in the order of storage; nil: there is none.
    func stored(after ticks: Int64) -> Int64? {
        let next = place(upTo: ticks) + 1
        return next < stored.count ? stored[next] : nil
    }

    /// The stored time from which a seek finds all frames that are shown at a time or later.
    func stored(beforePresentation ticks: Int64) -> Int64 {
        guard let first = stored.first else { return ticks }
        return ticks < first ? ticks : time(at: place(upTo: ticks) - held - lead)
    }

    /// The last place whose stored time is not after `ticks`; -1 if there is none.
    private func place(upTo ticks: Int64) -> Int {
        var (low, high) = (0, stored.count)
        while low < high {
            let middle = (low + high) / 2
            if stored[middle] <= ticks { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// The stored time at a place; before the first and after the last, times go on as between the two there.
    private func time(at place: Int) -> Int64 {
        if stored.indices.contains(place) { return stored[place] }
        guard let first = stored.first, let last = stored.last else { return 0 }
        if place < 0 { return first + Int64(place) * (stored.count > 1 ? stored[1] - first : 1) }
        let step = stored.count > 1 ? last - stored[stored.count - 2] : 1
        return last + Int64(place - stored.count + 1) * step
    }
}
