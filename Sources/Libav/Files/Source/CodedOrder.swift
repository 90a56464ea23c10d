// When the frames of a track are shown whose container does not say it. FFmpeg's MXF muxer writes H.264 with the order of storage alone: its
// index says of no frame that it is shown earlier or later than it is stored. AVI and ASF store the time at which a frame is decoded. Raw
// streams, and MXF without an index, store no times. The frames themselves say in which order they are presented: that assigns the stored
// times anew, or numbers the frames from the beginning, so that no time depends on where reading began. Pure; a value.

/// The presentation times of a track's frames, by what its container knows each frame by.
struct CodedOrder: Equatable, Sendable {
    /// The times that the container stores, or the places of the frames in the file, in the order of storage. They ascend.
    private let stored: [Int64]
    /// The places in the order of presentation, by those in the order of storage.
    private let shown: [Int32]
    /// When frames begin, in ticks, in the order of presentation; nil: at the stored times.
    private let begins: [Int64]?
    /// The places, in the order of storage, at which decoding can begin. Of frames that are known by their places in the file.
    private let syncs: [Int32]
    /// When the last frame ends, in ticks. Of frames that are known by their places in the file.
    private let end: Int64
    /// The frames that a decoder holds back before it shows the first; stored times are those at which it shows a frame.
    private let held: Int
    /// The most frames that are stored before a frame and shown after it.
    let delay: Int
    /// The most places by which a frame is shown after its place in the order of storage.
    let lead: Int

    /// The most frames that H.264 holds back.
    private static let deepest = 16

    /// A frame of a track whose container stores no times.
    struct Numbered {
        /// Where it is in the file, in bytes.
        var place: Int64
        /// In ticks.
        var duration: Int64
        /// Decoding can begin at it.
        var isSync: Bool
    }

    /// A track's order from the numbers of its frames; nil: they do not give one.
    /// - Parameters:
    ///   - stored: the times that the container gives, in ticks, in the order of storage.
    ///   - sequences: picture order counts in the order of storage; those of a sequence count on from an IDR frame.
    ///   - held: the frames that a decoder holds back by the stream's headers, where stored times are those of decoding; nil: they
    ///     are times of presentation, of other frames.
    init?(stored: [Int64], sequences: [[Int32]], held: Int? = nil) {
        self.init(stored: stored, shown: CodedOrder.shown(sequences), held: held)
    }

    /// A track's order from the places of its frames in the order of presentation; nil: they do not give one.
    init?(stored: [Int64], shown: [Int32]?, held: Int? = nil) {
        guard let shown, let (delay, lead) = CodedOrder.reach(shown, stored) else { return nil }
        (self.stored, self.shown, self.delay, self.lead) = (stored, shown, delay, lead)
        self.held = held.map { max($0, delay) } ?? 0
        (begins, syncs, end) = (nil, [], 0)
    }

    /// The order and the times of a track whose container stores no times; nil: its frames do not give them.
    /// - Parameters:
    ///   - frames: in the order of storage.
    ///   - shown: their places in the order of presentation.
    ///   - first: when the first one is shown, in ticks.
    init?(_ frames: [Numbered], shown: [Int32]?, from first: Int64) {
        let places = frames.map(\.place)
        guard let shown, !frames.isEmpty, let (delay, lead) = CodedOrder.reach(shown, places) else {
            return nil
        }
        var durations = [Int64](repeating: 0, count: frames.count)
        for (frame, place) in zip(frames, shown) where durations.indices.contains(Int(place)) {
            durations[Int(place)] = frame.duration
        }
        var (begins, end): ([Int64], Int64) = ([], first)
        begins.reserveCapacity(frames.count)
        for duration in durations {
            guard duration > 0 else { return nil }
            begins.append(end)
            let (sum, isTooLate) = end.addingReportingOverflow(duration)
            guard !isTooLate else { return nil }
            end = sum
        }
        (stored, self.shown, self.delay, self.lead, held) = (places, shown, delay, lead, 0)
        (self.begins, self.end) = (begins, end)
        syncs = frames.indices.filter { frames[$0].isSync }.map { Int32(clamping: $0) }
    }

    /// How far frames are out of order; nil: the track is not numbered as it should be.
    private static func reach(_ shown: [Int32], _ stored: [Int64]) -> (delay: Int, lead: Int)? {
        guard shown.count == stored.count, zip(stored, stored.dropFirst()).allSatisfy({ $0 < $1 }) else {
            return nil
        }
        var (delay, lead) = (0, 0)
        for (index, place) in shown.enumerated() {
            delay = max(delay, index - Int(place))
            lead = max(lead, Int(place) - index)
        }
        return delay <= deepest ? (delay, lead) : nil
    }

    /// The places in the order of presentation that picture order counts give; nil: two frames have the same.
    /// - Parameter sequences: counts in the order of storage.
    static func shown(_ sequences: [[Int32]]) -> [Int32]? {
        var shown: [Int32] = []
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
        return shown
    }

    /// The places in the order of presentation of frames whose type decides: a reference frame is shown when the next one is decoded, and
    /// others when they are.
    /// - Parameter areReferences: in the order of storage.
    static func shown(areReferences: [Bool]) -> [Int32] {
        guard areReferences.contains(false) else { return areReferences.indices.map { Int32(clamping: $0) } }
        var places = [Int32](repeating: 0, count: areReferences.count)
        var (next, held): (Int32, Int?) = (0, nil)
        func show(_ index: Int) {
            places[index] = next
            next += 1
        }
        for (index, isReference) in areReferences.enumerated() {
            guard isReference else {
                show(index)
                continue
            }
            if let held { show(held) }
            held = index
        }
        if let held { show(held) }
        return places
    }

    /// When a frame is decoded and shown; nil: it is none of the track's.
    /// - Parameter key: the time that the container gives, or the place in the file.
    func times(ofStored key: Int64) -> (pts: Int64, dts: Int64)? {
        let index = place(upTo: key, in: stored)
        guard index >= 0, stored[index] == key else { return nil }
        return (time(at: Int(shown[index]) + held), time(at: index + held - max(delay, held)))
    }

    /// The stored time of the frame after another in the order of storage; nil: there is none.
    func stored(after ticks: Int64) -> Int64? {
        let next = place(upTo: ticks, in: stored) + 1
        return next < stored.count ? stored[next] : nil
    }

    /// The stored time from which a seek finds all frames that are shown at a time or later.
    func stored(beforePresentation ticks: Int64) -> Int64 {
        guard let first = stored.first else { return ticks }
        return ticks < first ? ticks : time(at: place(upTo: ticks, in: stored) - held - lead)
    }

    /// When the first frame begins and the last one ends, in ticks; nil: the container has times.
    var span: Range<Int64>? { begins?.first.map { $0..<max($0, end) } }

    /// How many frames there are.
    var count: Int { stored.count }

    /// Where in the file decoding begins for what is shown from a time on: at the last sync sample that is not shown later, or the first
    /// one of all; nil: the container has times, or the track no sync sample.
    func seekPlace(beforePresentation ticks: Int64) -> Int64? {
        guard begins != nil else { return nil }
        let reached = syncs.last { time(at: Int(shown[Int($0)])) <= ticks } ?? syncs.first
        return reached.map { stored[Int($0)] }
    }

    /// The last place whose value is not after `key`; -1 if there is none.
    private func place(upTo key: Int64, in values: [Int64]) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// The time at a place; before the first and after the last, times go on as between the two there.
    private func time(at place: Int) -> Int64 {
        let clock = begins ?? stored
        if clock.indices.contains(place) { return clock[place] }
        guard let first = clock.first, let last = clock.last else { return 0 }
        if place < 0 { return first &+ Int64(place) &* (clock.count > 1 ? clock[1] - first : 1) }
        let step = clock.count > 1 ? last - clock[clock.count - 2] : 1
        return last &+ Int64(place - clock.count + 1) &* step
    }
}
