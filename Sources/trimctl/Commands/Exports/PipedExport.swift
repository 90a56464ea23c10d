// PipedExport: `trimctl export` whose INPUT or OUTPUT is `-`. The daemon keeps the bytes of both in its spool, where the job is like any
// other: its input is complete before it begins, and its output is verified before the first byte of it is written to standard
// output. The spool's folder ends with the connection. It parses no byte of media.
internal import FoundationEssentials
internal import Media
internal import TrimClient
internal import Wire

/// An export from or to a standard stream.
struct PipedExport {
    private let command: ExportCommand
    private let daemon: DaemonConnection
    private let streams: StandardStreams
    private var arguments: Arguments { command.arguments }

    /// The export of a command.
    init(_ command: ExportCommand, _ daemon: DaemonConnection) {
        self.command = command
        self.daemon = daemon
        streams = StandardStreams(command.arguments)
    }

    /// Runs it; returns the exit code.
    func run(_ request: SubmitParams) throws(MediaError) -> Int32 {
        let spool: SpoolResult = try daemon.commit(.spoolOpen, Empty())
        daemon.spool = spool.folder
        var request = request
        if streams.readsInput {
            try fill(spool)
            request.input = spool.input
        }
        if streams.writesOutput {
            request.output = spool.folder + (arguments.given(.outputType).map { "stdout.\($0)" } ?? "")
            // Its reader cannot seek to an index at the end.
            request.options = request.options ?? ExportOptions()
            request.options?.optimize = true
        }
        if arguments.has(.dryRun) { return try command.plan(request, daemon) }
        let job = try command.submit(request, daemon)
        var end = try command.finished(job, daemon)
        if end.status == .completed, streams.writesOutput { try empty(end.output) }
        // Paths of the spool say nothing to the user.
        if streams.readsInput { end.input = StandardStreams.word }
        if streams.writesOutput { end.output = StandardStreams.word }
        if end.error?.code == .fileNotFound {
            end.error?.remedy =
                "a playlist cannot be piped: give its path. If trimd was started again, what was piped is lost: give the command again"
        }
        if end.status != .completed || !streams.writesOutput || !arguments.has(.quiet) {
            command.report(end)
        }
        command.printLog(of: end, daemon)
        return end.exitCode
    }

    /// Spools standard input to its end.
    private func fill(_ spool: SpoolResult) throws(MediaError) {
        let source = RawStream(
            descriptor: command.surroundings.input, name: "standard input",
            interrupts: command.surroundings.interrupts)
        var count: Int64 = 0
        while true {
            let bytes = try source.read(SpoolWriteParams.mostBytes)
            if bytes.isEmpty { break }
            let params = SpoolWriteParams(path: spool.input, data: Data(bytes).base64EncodedString())
            let written: SpoolWritten = try daemon.call(.spoolWrite, params)
            count = written.bytes
        }
        guard count > 0 else {
            throw MediaError(
                .inputOutput, "standard input is empty",
                remedy: "see whether the command before the pipe has failed")
        }
    }

    /// Writes the output to standard output, to its end or until the reader has gone.
    private func empty(_ output: String) throws(MediaError) {
        let sink = RawStream(
            descriptor: command.surroundings.output, name: "standard output",
            interrupts: command.surroundings.interrupts)
        var offset: Int64 = 0
        while true {
            let piece: SpoolPiece = try daemon.call(
                .spoolRead, SpoolReadParams(path: output, offset: offset))
            guard let bytes = Data(base64Encoded: piece.data) else {
                throw MediaError(.inputOutput, "trimd sends what is not Base64")
            }
            guard !bytes.isEmpty, try sink.write(Array(bytes)) else { return }
            offset += Int64(bytes.count)
        }
    }
}
