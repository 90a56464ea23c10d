// Selects the program's task: to serve a request, to fork those that do, to test its own sandbox, or to print its version.
internal import Export
internal import Glibc
internal import Libav
internal import Render
internal import Text
internal import Wire

/// The program's command line.
enum WorkerMain {
    /// Runs the program; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "--selftest" { return SelfTest.run(Array(arguments.dropFirst())) }
        if arguments == ["--version"] { return printVersion() }
        var words = arguments[...]
        /// Takes a word from the beginning of the rest, if it is there.
        func take(_ word: String) -> Bool {
            guard words.first == word else { return false }
            words.removeFirst()
            return true
        }
        let isServer = take("--fork-server")
        let isPrepared = !(isServer && take("--unprepared"))
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

    /// Prints what this program was built from and runs on, as JSON.
    private static func printVersion() -> Int32 {
        let ffmpeg = FFmpegVersion(version: LibavBuild.version, libraries: LibavBuild.libraries)
        let report = VersionReport(ffmpeg: ffmpeg, encoders: LibavBuild.encoders)
        guard let json = try? JSONValue(encoding: report) else { return 2 }
        let line = json.encoded + [UInt8(ascii: "\n")]
        return unsafe write(1, line, line.count) == line.count ? 0 : 1
    }
}
