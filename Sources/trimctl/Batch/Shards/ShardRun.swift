// ShardRun: one run of one shard: its lock, taken before and given back after, and its record. It makes the folder of both, and removes
// what nothing has been recorded in.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import TrimClient

/// A run of a shard.
final class ShardRun {
    let files: ShardFiles
    let journal: ShardJournal
    private let lock: ShardLock
    private let hasMadeFolder: Bool

    /// Takes the lock.
    /// - Parameter waits: waits for another run of the shard to end; otherwise it is an error that names it.
    init(_ files: ShardFiles, of list: String, waits: Bool, _ surroundings: Surroundings) throws(MediaError) {
        self.files = files
        let outputs = BatchNames.folder(of: files.folder)
        hasMadeFolder = !BatchNames.isFolder(outputs)
        let name = "shard \(files.shard) of \(BatchNames.last(list))"
        lock = try ShardRun.lock(files, name, waits, surroundings)
        for other in FileSystem.names(in: files.folder).sorted() where files.isRival(other) {
            guard let holder = ShardLock.holder(of: "\(files.folder)/\(other)") else { continue }
            lock.release()
            let words = other.dropFirst(files.list.utf8.count + 1).dropLast(ShardFiles.lock.count)
            throw MediaError(
                .jobStateNotValid,
                "the list is being run as another number of shards: \(words) by \(holder.words)",
                remedy: "wait until it ends, or give --shard with its number")
        }
        do throws(MediaError) {
            journal = try ShardJournal(files.record)
        } catch {
            lock.release()
            throw error
        }
    }

    /// Throws if another run has taken the lock, which a frozen process may lose.
    func check() throws(MediaError) {
        guard !lock.isHeld else { return }
        throw MediaError(
            .operationInterrupted,
            "shard \(files.shard) was taken over by another run, because this one gave no sign for \(Int(ShardLock.patience)) s",
            remedy: "--resume waits for the other run, and does what it leaves")
    }

    /// Gives the lock back.
    func end() {
        lock.release()
        if FileSystem.status(files.record)?.size == 0 { try? Kernel.remove(files.record) }
        // Fails while anything is in it.
        try? Kernel.removeFolder(files.folder)
        if hasMadeFolder { try? Kernel.removeFolder(BatchNames.folder(of: files.folder)) }
    }

    private static func lock(
        _ files: ShardFiles, _ name: String, _ waits: Bool, _ surroundings: Surroundings
    ) throws(MediaError) -> ShardLock {
        let stop = surroundings.interrupts.raiser
        var hasSaid = false
        var silence: (sign: ShardLock.Sign, since: Double)?
        var attempts = 0
        while true {
            do throws(SystemError) {
                try FileSystem.makeFolder(files.folder)
            } catch {
                throw MediaError(.notWritable, "\(error)", remedy: "name an --output-dir that you may write")
            }
            let dead = silence.flatMap { Terminal.now - $0.since > ShardLock.patience ? $0.sign : nil }
            do throws(ShardLock.Obstacle) {
                return try ShardLock(files.lock, after: dead, onLoss: stop)
            } catch {
                switch error {
                case .failed(let error):
                    // Another shard that had nothing to do may have removed the folder.
                    attempts += 1
                    if attempts > 20 || BatchNames.isFolder(files.folder) { throw error }
                case .held(let holder):
                    let words = "\(name) is being run by \(holder?.words ?? "another process")"
                    guard waits else {
                        throw MediaError(
                            .jobStateNotValid, words, remedy: "--resume waits for it, and does what it leaves"
                        )
                    }
                    if !hasSaid { surroundings.console.say("trimctl: \(words); waiting until it ends") }
                    (hasSaid, silence) = (true, nil)
                case .silent(let holder, let sign):
                    if silence?.sign != sign {
                        // A sign since the last look: it runs.
                        if silence != nil, !waits {
                            throw MediaError(
                                .jobStateNotValid,
                                "\(name) is being run by \(holder?.words ?? "another process")",
                                remedy: "--resume waits for it, and does what it leaves")
                        }
                        if silence == nil {
                            surroundings.console.say(
                                "trimctl: \(name) was run by \(holder?.words ?? "another process"), which has not ended it; waiting "
                                    + "\(Int(ShardLock.patience)) s for a sign of it")
                        }
                        silence = (sign, Terminal.now)
                    }
                }
            }
            guard pause(surroundings.interrupts) else { throw DaemonError.interrupted }
        }
    }

    /// Waits for half a second; false if the user interrupts.
    private static func pause(_ interrupts: Interrupts) -> Bool {
        trim_poll(-1, 0, 0, interrupts.descriptor ?? -1, 500) & 4 == 0
    }
}
