// Compares the frames of a file with those it should have, in order: is each present, at its time, and closest to its own source
// frame? A value that stores at most five small frames of the source. Decodes nothing.
internal import Media
internal import MediaTime

/// The frame-by-frame comparison.
struct VideoComparison {
    typealias Seen = FrameStream.Seen
    typealias Finding = ComparisonReport.Finding

    /// An expected frame, and the frame found.
    struct Pair {
        var expected: Seen
        var found: Seen?
        /// The deviation, as a word on the image; nil: there is none.
        var fault: Fault?
    }

    /// The deviation of one frame.
    enum Fault: String, Hashable, Sendable {
        case missing = "missing"
        case wrongFrame = "wrong frame"
        case different = "different"
        case offTime = "off its time"
    }

    private(set) var result: ComparisonReport.Video
    private(set) var findings: [Finding] = []
    /// Tolerance of a frame's time: the ticks of both files.
    private let slack: Time
    /// Tolerance of the last frame's end.
    private let endSlack: Time
    /// The output stores how long its last frame lasts: readers of others show it for a usual length, whatever it should be.
    private let storesLastLength: Bool
    private var sum = 0.0
    private var likenesses: Int64 = 0
    private var wrong: Int64 = 0, different: Int64 = 0
    private var lastExpected: Seen?, lastFound: Seen?

    /// Frames with a smaller mean squared error cannot be distinguished.
    private static let alike = 0.5
    /// A frame with a smaller mean squared error is its own, whatever its neighbours are like: in red, green and blue, the rounding of
    /// both scalings is 4.6 in a fade from black.
    private static let rounding = 6.0
    /// Frames with a lower PSNR in decibels are different frames: encoding at the lowest rates leaves at least 25 at this size.
    private static let lowest = 20.0
    /// Number of findings of one kind that are reported individually.
    private static let mostReported = 3

    init(_ result: ComparisonReport.Video, slack: Time, endSlack: Time, storesLastLength: Bool) {
        self.result = result
        self.storesLastLength = storesLastLength
        self.slack = slack
        self.endSlack = endSlack
    }

    /// Compares two streams to their end; calls `body` for each expected frame.
    mutating func run(
        _ expected: FrameStream, _ found: FrameStream, _ body: (Pair) throws(MediaError) -> Void
    ) throws(MediaError) {
        var window: [Seen] = []
        var at = 0
        var isEnded = false
        var waiting = try found.next()
        while true {
            while !isEnded, window.count < at + 3 {
                guard let next = try expected.next() else {
                    isEnded = true
                    break
                }
                window.append(next)
            }
            guard at < window.count else { break }
            let frame = window[at]
            if frame.isExpected {
                let near = window[max(0, at - 2)..<min(window.count, at + 3)].filter {
                    $0.sourceTime != frame.sourceTime && $0.part == frame.part
                }
                let half = (frame.end - frame.time).multiplied(by: 1, over: 2)
                let reach = max(half, slack)
                while let extra = waiting, extra.time < frame.time - reach {
                    note(extra: extra, near: frame)
                    waiting = try found.next()
                }
                var pair = Pair(expected: frame, found: nil)
                if let same = waiting, (same.time - frame.time).absoluteValue <= reach {
                    pair.found = same
                    pair.fault = compare(frame, same, near)
                    waiting = try found.next()
                } else {
                    missing(frame)
                    pair.fault = .missing
                }
                result.expected += 1
                lastExpected = frame
                try body(pair)
            }
            at += 1
            if at > 2 {
                window.removeFirst()
                at -= 1
            }
        }
        while let extra = waiting {
            note(extra: extra, near: lastExpected)
            waiting = try found.next()
        }
        finish()
    }

    /// Compares a frame with the one at its time; returns the worst deviation.
    private mutating func compare(_ frame: Seen, _ same: Seen, _ near: [Seen]) -> Fault? {
        result.found += 1
        lastFound = same
        let off = (same.time - frame.time).absoluteValue
        var fault: Fault? = off > slack ? .offTime : nil
        if off > result.timeError {
            if off > slack, result.timeError <= slack {
                findings.append(
                    Finding(
                        "frameTime", "a frame is off its time by \(off) s", time: frame.sourceTime,
                        track: result.output))
            }
            result.timeError = off
        }
        if let sum = frame.checksum, sum == same.checksum { result.identical += 1 }
        let difference = same.small.difference(to: frame.small)
        let likeness = Thumbnail.decibels(difference)
        sum += likeness
        likenesses += 1
        if result.lowestPSNR.map({ likeness < $0 }) ?? true {
            (result.lowestPSNR, result.lowestAt) = (likeness, frame.sourceTime)
        }
        if likeness < VideoComparison.lowest {
            fault = .different
            different += 1
            if different <= VideoComparison.mostReported {
                findings.append(
                    Finding(
                        "differentPicture",
                        "a frame differs from its source frame (PSNR \(Int(likeness)) dB)",
                        time: frame.sourceTime, track: result.output))
            }
        }
        // Neighbours that differ by no more than encoding error cannot be distinguished either.
        let others = near.filter { other in
            let noise = min(difference, same.small.difference(to: other.small))
            return frame.small.difference(to: other.small) > max(VideoComparison.alike, 2 * noise)
        }
        guard !others.isEmpty else { return fault }
        let nearest = others.map { same.small.difference(to: $0.small) }.min() ?? .infinity
        // An encoder that changes little between frames leaves one that lies between both. Another frame's is far from its own: these
        // differ by more than twice the encoding error.
        if nearest <= difference, 2 * nearest > difference || difference < VideoComparison.rounding {
            return fault
        }
        result.judged += 1
        if nearest <= difference,
            let better = others.first(where: { same.small.difference(to: $0.small) == nearest })
        {
            wrong += 1
            guard wrong <= VideoComparison.mostReported else { return .wrongFrame }
            findings.append(
                Finding(
                    "wrongFrame",
                    "a frame matches the source frame at \(better.sourceTime.clock()), not its own",
                    time: frame.sourceTime, track: result.output))
            return .wrongFrame
        }
        result.matched += 1
        return fault
    }

    private mutating func missing(_ frame: Seen) {
        result.missing += 1
        guard result.missing <= VideoComparison.mostReported else { return }
        findings.append(
            Finding("frameMissing", "a frame is missing", time: frame.sourceTime, track: result.output))
    }

    private mutating func note(extra: Seen, near frame: Seen?) {
        result.extra += 1
        result.found += 1
        lastFound = extra
        guard result.extra <= VideoComparison.mostReported else { return }
        findings.append(
            Finding(
                "frameExtra",
                "extra frame at \(extra.time.clock()) of the output", time: frame?.sourceTime,
                track: result.output))
    }

    private mutating func finish() {
        if likenesses > 0 { result.meanPSNR = sum / Double(likenesses) }
        for (code, count, what) in [
            ("frameMissing", result.missing, "frames are missing"),
            ("frameExtra", result.extra, "extra frames"),
            ("wrongFrame", wrong, "frames match other frames of the source"),
            ("differentPicture", different, "frames differ from their source frames"),
        ] where count > Int64(VideoComparison.mostReported) {
            findings.append(Finding(code, "\(count) \(what), in all", track: result.output))
        }
        guard let lastExpected, let lastFound else { return }
        result.endError = lastFound.end - lastExpected.end
        // Missing or additional frames were already reported.
        let own = storesLastLength ? .zero : lastExpected.end - lastExpected.time + slack
        guard result.missing == 0, result.extra == 0, result.endError.absoluteValue > max(endSlack, own)
        else {
            return
        }
        let late = result.endError > .zero
        findings.append(
            Finding(
                "lastFrame",
                "the last frame ends \(result.endError.absoluteValue) s too \(late ? "late" : "early")",
                time: lastExpected.sourceTime, track: result.output))
    }
}
