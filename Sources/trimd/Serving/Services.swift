// Services: combines the three services, identifies callers, and passes disconnections on.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The three services.
struct Services: Sendable {
    let jobs: JobService
    let assets: AssetService
    let server: ServerService
    /// Files of clients that have no path.
    let spool: Spool
    /// Opens paths.
    let lanes: PathLanes

    private var configuration: Configuration { server.configuration }

    /// The caller on a connection.
    func caller(_ peer: PeerCredentials) -> Caller {
        Caller(peer, metricsGroup: configuration.metricsGroup)
    }

    /// The access that a user proves for a request, within the roots.
    func access(_ peer: PeerCredentials, _ descriptors: Descriptors) -> CallerAccess {
        CallerAccess(
            peer: peer, own: geteuid(), roots: configuration.roots, descriptors: descriptors, lanes: lanes,
            lister: .workers(of: server.pool))
    }

    /// Cleans up after a client that has disconnected.
    func forget(_ client: any Subscriber) {
        jobs.hub.forget(client)
        server.events.forget(client)
        assets.forget(ObjectIdentifier(client))
        jobs.scheduler.forget(ObjectIdentifier(client))
        // A job whose input or output was its client's has no use without it.
        for abandoned in spool.abandon(ObjectIdentifier(client)) {
            if abandoned.jobs.isEmpty { spool.remove(abandoned.folder) }
            for job in abandoned.jobs {
                jobs.scheduler.cancel(job) { [spool] _ in spool.remove(abandoned.folder) }
            }
        }
        Memory.giveBackSoon()
    }
}
