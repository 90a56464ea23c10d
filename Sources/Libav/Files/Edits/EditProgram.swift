// The samples of a track in the order in which the parts of its edit list decode them, with their times in the presentation: what is read
// of a track whose edit list FFmpeg misreads. Pure.

/// The samples of a track, part by part.
struct EditProgram: Sendable {
    /// A stored sample, in ticks of the track's media.
    struct Sample: Hashable, Sendable {
        var pts: Int64, dts: Int64, duration: Int64
        var isKey: Bool
    }

    /// A sample in the presentation, in ticks of the track.
    struct Step: Hashable, Sendable {
        /// Its number in the order of decoding.
        var sample: Int
        var pts: Int64, dts: Int64, duration: Int64
        /// It is decoded for others only.
        var isDiscarded = false
        /// Ticks at its beginning and its end that are not played (audio).
        var skip: Int64 = 0, padding: Int64 = 0
        /// From when on it serves: its time, or that of the part that it is decoded for; nil: decoding cannot begin with it.
        var entry: Int64?
    }

    /// The stored samples, in the order of decoding.
    let samples: [Sample]
    /// The parts that are read, in order.
    private(set) var steps: [Step] = []
    /// When the first part begins that shows something, and when the last one ends.
    private(set) var start: Int64 = 0, end: Int64 = 0

    /// - Parameters:
    ///   - preroll: ticks of audio that are decoded before a part; nil: the track is video.
    init(_ samples: [Sample], _ parts: [MisreadEdits.Part], preroll: Int64?) {
        self.samples = samples
        let order = samples.indices.sorted { samples[$0].pts < samples[$1].pts }
        // A frame lasts until the next one, a packet of audio as long as its samples.
        var ends = samples.map { $0.pts + $0.duration }
        if preroll == nil {
            for (one, next) in zip(order, order.dropFirst()) where samples[next].pts > samples[one].pts {
                ends[one] = samples[next].pts
            }
        }
        for (index, part) in parts.enumerated() {
            let first = order.partition(where: { ends[$0] > part.media.lowerBound })
            let shown = order[first...].prefix { samples[$0].pts < part.media.upperBound }
            guard let leading = shown.first, let trailing = shown.last, let lowest = shown.min(),
                let highest = shown.max()
            else { continue }
            if steps.isEmpty { start = part.start + max(0, samples[leading].pts - part.media.lowerBound) }
            end = min(part.end, part.start + ends[trailing] - part.media.lowerBound)
            let begin = begin(lowest, leading, preroll, part)
            let next = parts.dropFirst(index + 1).first?.start
            let isShown = Set(shown)
            for number in begin...highest {
                add(
                    number, part, ends: ends[number], isShown: isShown.contains(number),
                    isAudio: preroll != nil,
                    heldTo: number == trailing && preroll == nil ? next : nil)
            }
        }
    }

    /// The sample that decoding begins with.
    private func begin(_ lowest: Int, _ leading: Int, _ preroll: Int64?, _ part: MisreadEdits.Part) -> Int {
        if let preroll {
            var begin = lowest
            while begin > 0, samples[begin - 1].pts >= part.media.lowerBound - preroll { begin -= 1 }
            return begin
        }
        // Of an open GOP, leading frames are decoded from the one before.
        return (0...lowest).last { samples[$0].isKey && samples[$0].pts <= samples[leading].pts } ?? 0
    }

    private mutating func add(
        _ number: Int, _ part: MisreadEdits.Part, ends: Int64, isShown: Bool, isAudio: Bool,
        heldTo next: Int64?
    ) {
        let sample = samples[number]
        let shift = part.start - part.media.lowerBound
        var step = Step(
            sample: number, pts: sample.pts + shift, dts: sample.dts + shift, duration: ends - sample.pts,
            isDiscarded: !isShown)
        if isShown, isAudio {
            step.skip = max(0, part.media.lowerBound - sample.pts)
            step.padding = max(0, ends - part.media.upperBound)
        } else if isShown {
            step.pts = max(step.pts, part.start)
            step.duration = max(1, (next ?? min(ends + shift, part.end)) - step.pts)
        }
        if sample.isKey { step.entry = max(part.start, sample.pts + shift) }
        steps.append(step)
    }

    /// Where reading begins for what is on screen, or heard, at a time; nil: the track begins later.
    func step(at ticks: Int64) -> Int? {
        steps.lastIndex { step in step.entry.map { $0 <= ticks } ?? false }
    }

    /// The number of a stored sample by its times; nil: there is none.
    func number(dts: Int64, pts: Int64) -> Int? {
        let first = samples.partition(where: { $0.dts >= dts })
        return samples.indices[first...].prefix { samples[$0].dts == dts }.first { samples[$0].pts == pts }
    }
}

extension Array {
    /// The index of the first element, of an array whose elements from there on fulfil a condition, and none before.
    fileprivate func partition(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
