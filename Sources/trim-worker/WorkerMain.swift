// Selects the program's task: to serve a request, to fork those that do, or to test its own sandbox.
internal import Export
internal import Glibc

/// The program's command line.
enum WorkerMain {
    /// Runs the program; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "--selftest" { return SelfTest.run(Array(arguments.dropFirst())) }
        let isServer = arguments.first == "--fork-server"
        let isPrepared = !isServer || arguments.dropFirst().first != "--unprepared"
        let words = arguments.dropFirst((isServer ? 1 : 0) + (isPrepared ? 0 : 1))
        guard let sandbox = SandboxRequest(Array(words)) else {
            let line = "trim-worker: these arguments make no sense; it is started by trimd, use trimctl\n"
            _ = unsafe write(2, line, line.utf8.count)
            return 2
        }
        // A fork has those of its server.
        SubtitleFonts.use(sandbox.fonts.map { SubtitleFonts.Given($0, FontReading.bytes($0)) })
        return isServer
            ? ForkServerProgram(sandbox, isPrepared: isPrepared).run() : WorkerProgram(sandbox).run()
    }
}
