// Assigns PTS to decoded frames that lack one. Pure.
package import Libav
package import Media
package import MediaTime

/// Assigns asset times to decoded frames; computes times and durations that frames lack from earlier frames.
package struct FrameClock {
    private let track: Track
    private let origin: Time
    private var next: Time?

    package init(track: Track, origin: Time) {
        self.track = track
        self.origin = origin
    }

    /// Returns a frame's first moment and its duration.
    package mutating func time(of frame: Frame) -> (Time, Time) {
        let time = frame.bestEffort.map { track.timebase.time(ofTicks: $0) - origin } ?? next ?? .zero
        let stored = frame.packetDuration
        let duration = stored > 0 ? track.timebase.time(ofTicks: stored) : track.usualLength(at: time)
        next = time + duration
        return (time, duration)
    }
}
