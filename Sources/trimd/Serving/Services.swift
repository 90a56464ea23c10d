// Services: what trimd does for those who ask, in three parts. It puts them together and tells them who asks and who has gone.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// What trimd does.
struct Services: Sendable {
    let jobs: JobService
    let assets: AssetService
    let server: ServerService
    /// Where paths are opened.
    let lanes: PathLanes

    private var configuration: Configuration { server.configuration }

    /// Who asks on a connection.
    func caller(_ peer: PeerCredentials) -> Caller {
        Caller(peer, metricsGroup: configuration.metricsGroup)
    }

    /// What a user shows for a request, held against the roots.
    func access(_ peer: PeerCredentials, _ descriptors: Descriptors) -> CallerAccess {
        CallerAccess(peer: peer, own: geteuid(), roots: configuration.roots, descriptors: descriptors)
    }

    /// A client has gone.
    func forget(_ client: any Subscriber) {
        jobs.hub.forget(client)
        server.events.forget(client)
        assets.forget(ObjectIdentifier(client))
        Memory.giveBackSoon()
    }
}
