// Runs trim-page: looks for trimd, listens, prints the address, and serves until it is told to end or the terminal is closed.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

/// The program.
enum PageProgram {
    /// Runs the command line of this process; the answer is the exit code.
    static func main() -> Int32 {
        do throws(MediaError) {
            return try run(try PageArguments(Kernel.words))
        } catch {
            Kernel.write("trim-page: \(error)\n", to: 2)
            return error.code.exitCode
        }
    }

    private static func run(_ arguments: PageArguments) throws(MediaError) -> Int32 {
        if arguments.isKept { signal(SIGHUP, SIG_IGN) }
        let interrupts = Interrupts()
        interrupts.install()
        let library = try arguments.library()
        try DaemonConnection(path: arguments.socket, interrupts: interrupts).connect()
        let files = try PageFiles(folder: arguments.files ?? PageFiles.find(beside: program))
        var restriction: Restriction?
        if let limit = arguments.limit {
            restriction = Restriction(
                above: limit, pin: try PINSource.read(file: arguments.pinFile),
                isUnratedOpen: !arguments.locksUnrated)
        }
        let stateFolder = PageState.folder
        let place = try place(arguments, stateFolder)
        let site = Site(
            gate: place.gate, successor: place.state, files: files, library: library,
            socket: arguments.socket,
            cache: PreviewCache(folder: cacheFolder),
            drafts: DraftFolder(stateFolder.map { $0 + "/drafts" }),
            folder: arguments.output.map { $0.endsInSlash ? $0 : $0 + "/" }, saving: arguments.saving,
            restriction: restriction, artwork: ArtworkFolder(cacheFolder.map { $0 + "/artwork" }))
        let server = HTTPServer(takesPicture: site.takesPicture, hasSeat: site.hasSeat) { site.answer($0) }
        try server.start(on: place.socket)
        Kernel.write(place.address + "\n", to: 1)
        let desktop =
            arguments.opens && arguments.listen == nil
            ? DesktopBrowser(opening: place.address, by: cacheFolder) : nil
        while interrupts.drain() == 0 {
            guard let descriptor = interrupts.descriptor else { sleep(3600); continue }
            _ = try? SocketIO.wait(descriptor)
        }
        if let path = arguments.listen { try? Kernel.remove(path) }
        desktop?.forget()
        // Threads of the server may still be waiting for trimd.
        withExtendedLifetime(server) { _exit(0) }
    }

    private static func place(
        _ arguments: PageArguments, _ folder: String?
    ) throws(MediaError) -> (socket: Int32, gate: Gate, state: PageSuccessor?, address: String) {
        if let path = arguments.listen {
            return (try PageListener.unix(path), Gate(hosts: arguments.hosts), nil, "unix:\(path)")
        }
        // Where the last process about these files said that the next one would be: its tabs go on there.
        let key = Library.key(of: arguments.paths.joined(separator: "\n"))
        let last = folder.flatMap { PageState.read(key, in: $0) }
        let (socket, address) = try PageListener.local(preferring: last?.next)
        let isNext = address == last?.next
        let gate = Gate(address, earlierToken: isNext ? last?.token : nil)
        let state = PageState(address: address, next: .random(), token: Gate.secret())
        var successor: PageSuccessor?
        if let folder, (try? state.keep(key, in: folder)) != nil {
            successor = PageSuccessor(next: state, before: isNext ? last?.address : nil)
        }
        return (socket, gate, successor, "\(address.origin)/#token=\(gate.token ?? "")")
    }

    private static var program: String? { Kernel.resolved("/proc/self/exe") }

    private static var cacheFolder: String? {
        if let folder = Kernel.variable("XDG_CACHE_HOME"), folder.isAbsolutePath {
            return folder + "/trimd/page"
        }
        return Kernel.variable("HOME").flatMap { $0.isAbsolutePath ? $0 + "/.cache/trimd/page" : nil }
    }
}
