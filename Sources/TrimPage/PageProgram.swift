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
            restriction = Restriction(above: limit, pin: try PINSource.read(file: arguments.pinFile))
        }
        let place = try place(arguments)
        let site = Site(
            gate: place.gate, files: files, library: library, socket: arguments.socket,
            cache: PreviewCache(folder: cacheFolder),
            folder: arguments.output.map { $0.endsInSlash ? $0 : $0 + "/" }, saving: arguments.saving,
            restriction: restriction, artwork: ArtworkFolder(cacheFolder.map { $0 + "/artwork" }))
        let server = HTTPServer(takesPicture: site.takesPicture) { site.answer($0) }
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
        _ arguments: PageArguments
    ) throws(MediaError) -> (socket: Int32, gate: Gate, address: String) {
        if let path = arguments.listen {
            return (try PageListener.unix(path), Gate(hosts: arguments.hosts), "unix:\(path)")
        }
        // The same files get the same port, if it is free: a browser keeps the edits of an address.
        let wish = UInt64(Library.key(of: arguments.paths.joined(separator: "\n")), radix: 16) ?? 0
        let (socket, port) = try PageListener.local(preferring: UInt16(20_000 + wish % 12_000))
        let gate = Gate(port: port)
        return (socket, gate, "http://127.0.0.1:\(port)/?token=\(gate.token ?? "")")
    }

    private static var program: String? { Kernel.resolved("/proc/self/exe") }

    private static var cacheFolder: String? {
        if let folder = Kernel.variable("XDG_CACHE_HOME"), folder.isAbsolutePath {
            return folder + "/trimd/page"
        }
        return Kernel.variable("HOME").flatMap { $0.isAbsolutePath ? $0 + "/.cache/trimd/page" : nil }
    }
}
