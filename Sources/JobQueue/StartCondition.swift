// StartCondition: the conditions of a job's start, besides its turn. A value; the back ends keep it.
public import Media

/// The conditions of a job's start, besides its turn.
public struct StartCondition: Hashable, Sendable {
    /// It runs only after these jobs have completed.
    public var after: [Int64]
    /// It does not start before this moment; nil: at once.
    public var notBefore: Moment?
    /// Tags that the node needs to have that does it.
    public var needs: [String]

    /// Nothing, or what is given; of jobs that are named twice, one counts.
    public init(after: [Int64] = [], notBefore: Moment? = nil, needs: [String] = []) {
        self.after = Set(after).sorted()
        self.notBefore = notBefore
        self.needs = needs
    }
}

extension Job {
    /// When a job that waits may start at the earliest; nil: at once.
    static func due(_ notBefore: Moment?, now: Moment) -> Moment? {
        notBefore.flatMap { $0 > now ? $0 : nil }
    }

    /// The error of a job that was to run after one in this state (nil: it was removed), which will not complete.
    static func dependencyError(_ other: Int64, _ state: JobState?, of id: Int64) -> MediaError {
        let (end, remedy) =
            switch state {
            case .failed?: ("failed", "`trimctl retry \(other)`, then `trimctl retry \(id)`")
            case .cancelled?: ("was cancelled", "`trimctl retry \(other)`, then `trimctl retry \(id)`")
            default: ("was removed", "submit it again without job \(other)")
            }
        return MediaError(
            .dependencyFailed, "job \(other), which it was to run after, \(end)", remedy: remedy)
    }
}
