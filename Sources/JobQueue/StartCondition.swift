// StartCondition: the conditions of a job's start, besides its turn. A value; the back ends keep it.
public import Media
public import Platform

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

/// A job that waits or is held, changed by its user.
public struct JobChange: Hashable, Sendable {
    /// Its request, validated anew.
    public var request: ExportRequest
    /// Its source, as it is now.
    public var source: FileIdentity
    /// The output's name, which is reserved for it; nil: none.
    public var name: OutputName?
    /// Its priority; nil: as it was.
    public var priority: Int?
    /// When it starts.
    public var start: StartCondition

    /// Creates a change.
    public init(
        request: ExportRequest, source: FileIdentity, name: OutputName?, priority: Int?, start: StartCondition
    ) {
        (self.request, self.source, self.name) = (request, source, name)
        (self.priority, self.start) = (priority, start)
    }
}

extension Job {
    /// Throws unless its request may be changed.
    public func checkModifiable() throws(MediaError) {
        guard state == .waiting || state == .held else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is \(state.status.rawValue) and cannot be modified",
                remedy: "only a job that waits or is held can be; the priority of each that has not ended")
        }
    }

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
