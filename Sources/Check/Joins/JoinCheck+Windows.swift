// The spans of a smart-trimmed track that are checked: around each position where copied and encoded frames meet, and at both ends of a
// part; short parts as a whole. Pure: reads no media.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

extension JoinCheck {
    /// A span of a part that is checked, in seconds from the part's beginning.
    struct Window: Sendable {
        var part: SmartTrimTrackPlan.Part
        var from: Time
        var to: Time
        /// The keyframe that decoding begins with, where nothing before it is wanted; nil: the one before `from`.
        var keyframe: Time?
    }

    /// The result for a span.
    enum Finding {
        /// It shows the source's frames, or others that cannot be compared.
        case same
        /// No frame begins there, neither in the source nor in the output.
        case nothing
        /// The source itself does not decode there.
        case damaged(Damage)

        /// The source's damage.
        var damage: Damage? {
            guard case .damaged(let damage) = self else { return nil }
            return damage
        }
    }

    /// Spans of a part that are checked.
    func windows(_ part: SmartTrimTrackPlan.Part, length: Time) -> [Window] {
        let rate = max(1, plan.track.video?.frameRate?.value ?? 25)
        if length.seconds * rate <= Double(HeadTailFrames.fewFrames) {
            return [Window(part: part, from: .zero, to: length)]
        }
        var points: [Time] = [.zero]
        if part.plan.head != nil, let key = part.plan.copy?.first { points.append(offset(key, part)) }
        if let tail = part.plan.tail { points.append(offset(tail.from, part)) }
        points.append(length)
        var windows: [Window] = []
        for point in points {
            let from = max(.zero, point - frames(HeadTailFrames.beside))
            let to = min(length, point + frames(plan.delay + HeadTailFrames.beside))
            if let last = windows.last, from <= last.to {
                windows[windows.count - 1].to = max(last.to, to)
            } else {
                windows.append(Window(part: part, from: from, to: to))
            }
        }
        return windows
    }

    private func offset(_ pts: Int64, _ part: SmartTrimTrackPlan.Part) -> Time {
        plan.track.timebase.time(ofTicks: pts) - origin - part.segment.start
    }
}
