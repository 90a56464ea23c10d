// The warnings of an export.
package import Media
package import MediaTime
internal import Synchronization

/// Collects warnings for the user, from all queues of an export; each kind of warning once a track, with a count.
package final class Diagnostics: Sendable {
    private struct State {
        /// The span of asset time that is exported; nil: unknown.
        var range: (start: Time, end: Time?)?
        var warnings: [Warning] = []
        var counts: [String: Int] = [:]
    }
    private let state = Mutex(State())

    /// Creates an empty collection.
    package init() {}

    /// Creates a copy of another; warnings that are added later are not shared.
    package init(_ other: Diagnostics) {
        let begun = other.state.withLock { $0 }
        state.withLock { $0 = begun }
    }

    /// Creates an empty collection for the same span of time as another.
    package init(besides other: Diagnostics) {
        let range = other.state.withLock { $0.range }
        state.withLock { $0.range = range }
    }

    /// Adds a warning; the first of a code and track is kept with its time, the others are counted.
    package func warn(_ warning: Warning) {
        let key = "\(warning.word)/\(warning.track ?? -1)"
        state.withLock { state in
            if state.counts[key, default: 0] == 0 { state.warnings.append(warning) }
            state.counts[key, default: 0] += 1
        }
    }

    /// Sets the span of asset time that matters.
    package func limit(to range: (start: Time, end: Time?)) { state.withLock { $0.range = range } }

    /// Adds a warning from reading, unless its time is outside the span that matters: readers begin early and run ahead.
    package func warn(ofRead warning: Warning) {
        let matters = state.withLock { state in
            guard let range = state.range, let time = warning.time else { return true }
            return time >= range.start && range.end.map { time < $0 } ?? true
        }
        if matters { warn(warning) }
    }

    /// Replaces the warning with the same code and track.
    package func replace(_ warning: Warning) {
        state.withLock { state in
            state.warnings.removeAll { $0.word == warning.word && $0.track == warning.track }
            state.warnings.append(warning)
            state.counts["\(warning.word)/\(warning.track ?? -1)"] = 1
        }
    }

    /// The warnings so far, with how often each was given.
    package var counted: [CountedWarning] {
        state.withLock { state in
            state.warnings.map {
                CountedWarning(warning: $0, count: state.counts["\($0.word)/\($0.track ?? -1)"] ?? 1)
            }
        }
    }

    /// Adds warnings that were given elsewhere. A warning that every part of an output gives counts once.
    package func merge(_ others: [CountedWarning]) {
        for other in others {
            let key = "\(other.warning.word)/\(other.warning.track ?? -1)"
            state.withLock { state in
                let before = state.counts[key, default: 0]
                if before == 0 { state.warnings.append(other.warning) }
                let isSame = before > 0 && state.warnings.contains(other.warning)
                state.counts[key] = isSame ? max(before, other.count) : before + other.count
            }
        }
    }

    /// The warnings so far; one that occurred several times has a count.
    package var warnings: [Warning] {
        state.withLock { state in
            state.warnings.map { warning in
                let count = state.counts["\(warning.word)/\(warning.track ?? -1)"] ?? 1
                guard count > 1 else { return warning }
                var warning = warning
                warning.message += " (and \(count - 1) more)"
                return warning
            }
        }
    }
}

/// A warning that was given several times.
package struct CountedWarning: Hashable, Codable {
    package var warning: Warning
    package var count: Int

    package init(warning: Warning, count: Int) {
        self.warning = warning
        self.count = count
    }
}
