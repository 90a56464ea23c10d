// `trim-worker --fork-server`: loads and initialises all libraries once, and forks a worker for each request of trimd, which costs
// a fiftieth of starting the program. It has one thread when it forks, since a fork has only the thread that forked; so it never uses
// Dispatch. It opens no file but the settings' fonts, reads no media but two seconds of silence and of black that are
// constants of its own, and sees no request: a worker receives its own through a socket that only passes through here. It is sealed
// like a worker, but may fork. It exits with trimd.
internal import CLinux
internal import CSeccomp
internal import Export
internal import Glibc
internal import Libav
internal import Platform
internal import Wire

/// The server of forks.
struct ForkServerProgram {
    /// The policy and the limits of its workers.
    private let sandbox: SandboxRequest

    /// Whether the server does what each worker would do at its beginning. It takes about 40 ms, which a few workers do not make up for.
    private let isPrepared: Bool

    /// Creates a server from the command line of its workers.
    init(_ sandbox: SandboxRequest, isPrepared: Bool) {
        (self.sandbox, self.isPrepared) = (sandbox, isPrepared)
    }

    /// Serves until trimd closes its end of the socket; in a worker: serves its request.
    /// - Returns: the exit status.
    func run() -> Int32 {
        let control = ForkServer.control
        guard fcntl(control, F_GETFD) >= 0 else {
            WorkerProgram.complain("the fork server is started by trimd")
            return 2
        }
        do throws(SystemError) {
            WorkerProgram.prepare()
            name("trim-forkserver")
            if isPrepared { rehearse() }
            guard !SandboxSeal.hasThreads() else {
                WorkerProgram.complain("a library has started a thread, and a fork would lack it")
                return 4
            }
            let files = try LoadedFiles.ofThisProcess()
            if isPrepared {
                // Where they fail, forks take longer.
                _ = trim_share_library_data()
                _ = trim_keep_code_mapped()
            }
            // A library that is missing here is missing in a worker too, which tells.
            _ = SandboxSeal.applyToServer(control: control, forks: WorkerProgram.control)
            for part in files.parts { try send([UInt8(ascii: "+")] + part) }
            try send([UInt8(ascii: ".")])
            return try serve()
        } catch {
            WorkerProgram.complain("\(error)")
            return 1
        }
    }

    /// Does what each worker would do at its first thread, its first message, its first packet and its first file. No thread is left.
    private func rehearse() {
        startOneThread()
        // Where it fails, workers take longer.
        _ = try? WorkerRehearsal.run()
        CodecTables.compute()
        guard let request = WorkerRehearsal.request else { return }
        rehearse(with: ExportRehearsal.file, "rehearsal.wav") { source in
            ExportRehearsal.run(on: source, request)
        }
        rehearse(with: ExportRehearsal.film, "rehearsal.mp4") { source in
            let output = unsafe trim_memfd_create("output")
            guard output >= 0 else { return }
            defer { close(output) }
            ExportRehearsal.copy(source, output: output)
        }
        Demuxer.closeIdle()
        // A page that is free here would be copied in each worker that uses it, instead of being empty.
        _ = trim_malloc_trim()
    }

    /// Starts a thread and ends it: the first of a process searches all libraries for the linker's functions. Where it fails, forks search.
    private func startOneThread() {
        _ = try? OwnThread.run(stack: WorkerProgram.stack) { 0 }
        // The kernel may list it for a moment after its end.
        for _ in 0..<ForkServerProgram.mostWaits {
            guard SandboxSeal.hasThreads() else { return }
            usleep(1000)
        }
    }

    /// Milliseconds that a thread which has ended may be listed: as long as others may keep it from a processor.
    private static let mostWaits = 2000

    /// Passes a file in memory to a rehearsal.
    private func rehearse(with bytes: [UInt8], _ name: String, _ body: (SourceFile) -> Void) {
        let file = unsafe trim_memfd_create("rehearsal")
        guard file >= 0 else { return }
        defer { close(file) }
        let source = SourceFile(descriptor: file, size: Int64(bytes.count), name: name)
        guard (try? source.write(bytes, at: 0, "writing the rehearsal")) != nil else { return }
        body((try? opened(file, name)) ?? source)
    }

    /// A file that is opened as that of a request.
    private func opened(_ file: Int32, _ name: String) throws -> SourceFile? {
        var sockets = try Descriptor.socketPair()
        guard let worker = sockets.takeFirst() else { return nil }
        return try WorkerSource(file, DaemonFiles(BlockingChannel(adopting: worker))).file(name)
    }

    private func serve() throws(SystemError) -> Int32 {
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let reading = try SocketIO.receive(
                ForkServer.control, into: &buffer, descriptors: 2, waiting: true)
            guard case .bytes(_, let descriptors) = reading else { return 0 }
            guard let control = descriptors?.take(0), let log = descriptors?.take(1) else { return 2 }
            let pid = trim_fork_orphan()
            if pid == 0 {
                name("trim-worker")
                arrange(control: control.release(), log: log.release())
                // Its answer is sent: what 168 libraries would do at the end of a process costs a millisecond, and changes nothing.
                _exit(WorkerProgram(sandbox).run())
            }
            try send(Array("\(pid)".utf8))
        }
    }

    /// Gives a new process the descriptors of a worker, and no other; the server's own socket closes with the first.
    private func arrange(control: Int32, log: Int32) {
        guard dup2(control, WorkerProgram.control) >= 0, dup2(log, 1) >= 0, dup2(log, 2) >= 0,
            trim_close_range(UInt32(WorkerProgram.control) + 1, .max) == 0
        else { _exit(4) }
    }

    /// Names this process in lists of processes.
    private func name(_ name: String) { _ = unsafe trim_set_thread_name(name) }

    private func send(_ message: [UInt8]) throws(SystemError) {
        let sent = try SocketIO.send(
            ForkServer.control, message, from: 0, descriptors: [], waiting: true)
        // Nobody is there any more.
        if case .broken = sent { _exit(0) }
    }
}
