// server.doctor: whether all is well.
internal import Media
internal import Wire

extension ServerService {
    /// `server.doctor`: all of it for those who see all, for others what concerns them.
    func doctor(_ caller: Caller, then: @escaping @Sendable (DoctorResult) -> Void) {
        checkup.run(for: caller, isDraining: scheduler.isDraining, then: then)
    }
}
