// server.doctor: runs the health checks.
internal import Media
internal import Wire

extension ServerService {
    /// `server.doctor`: all checks for callers who see all jobs, for others those that concern them.
    func doctor(_ caller: Caller, then: @escaping @Sendable (DoctorResult) -> Void) {
        healthChecks.run(for: caller, isDraining: scheduler.isDraining) { [nodes] result in
            then(DoctorResult(result.checks + nodes.rootChecks))
        }
    }
}
