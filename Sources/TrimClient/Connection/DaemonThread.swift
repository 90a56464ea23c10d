// A conversation with the daemon on a thread of its own, for tasks: the connection blocks, and a task must not. Each conversation has
// a connection of its own, so that a cheap call does not wait for an expensive one.
internal import Dispatch
internal import FoundationEssentials
internal import Media

/// Runs conversations with the daemon.
enum DaemonThread {
    /// Runs a body with a connected daemon; ends its waits when the task is cancelled.
    /// - Parameter socket: the daemon's; nil: the one that the environment names.
    static func run<Result: Sendable>(
        socket: String?, signal: StopSignal = StopSignal(),
        _ body: @escaping @Sendable (DaemonConnection) throws(MediaError) -> Result
    ) async throws(ExportError) -> Result {
        let answer: Swift.Result<Result, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "trimd.client").async {
                    let answer = signal.governing { interrupts in
                        Swift.Result { () throws(MediaError) in
                            let daemon = connection(socket, interrupts)
                            try daemon.connect()
                            return try body(daemon)
                        }
                    }
                    continuation.resume(returning: answer)
                }
            }
        } onCancel: {
            signal.stop()
        }
        do throws(MediaError) { return try answer.get() } catch { throw ExportError(error) }
    }

    private static func connection(_ socket: String?, _ interrupts: Interrupts) -> DaemonConnection {
        let environment = ProcessInfo.processInfo.environment
        let path = SocketPath.find(
            option: socket, in: environment, folder: FileManager.default.currentDirectoryPath)
        return DaemonConnection(
            path: path, interrupts: interrupts,
            remedy: DaemonStart(
                socket: path, in: environment,
                program: InstalledProgram.path(beside: nil, in: environment)
            ).remedy())
    }
}
