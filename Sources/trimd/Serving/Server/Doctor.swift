// Doctor: runs the checks of `trimctl doctor`: a worker's self-test in a separate process, the queue, the state directory and
// its free space, the media roots, the presets and their encoders, the database. Checks that read the whole queue, try to
// write, or reveal other users are for callers who see all jobs. It changes and repairs nothing. One run at a time, on its own
// queue, since the self-test takes a moment; callers who ask during a run share the next one.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

/// The health checks.
final class Doctor: Sendable {
    private struct Request: Sendable {
        let caller: Caller
        let isDraining: Bool
        let then: @Sendable (DoctorResult) -> Void
    }

    private let configuration: Configuration
    private let store: any JobQueue
    private let presets: PresetCatalogue
    private let loss: QueueLoss
    private let line = DispatchQueue(label: "trimd.doctor")
    private let waiting = Mutex<[Request]>([])

    /// Timeout of the self-test, in milliseconds.
    private static let patience: Int64 = 25_000
    /// The queue itself is at risk with fewer free bytes.
    private static let leastFree: Int64 = 256 << 20

    /// Checks for a daemon with this configuration; `loss` is the data loss found in its queue.
    init(_ configuration: Configuration, store: any JobQueue, presets: PresetCatalogue, loss: QueueLoss) {
        self.loss = loss
        self.configuration = configuration
        self.store = store
        self.presets = presets
    }

    /// Runs the checks that a caller may see; `then` is called on the check-up's queue.
    func run(for caller: Caller, isDraining: Bool, then: @escaping @Sendable (DoctorResult) -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(Request(caller: caller, isDraining: isDraining, then: then))
            return waiting.count == 1
        }
        if isFirst { line.async { self.examine() } }
    }

    // MARK: on the queue

    private func examine() {
        let requests = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let tested = Result { () throws(SystemError) in try selfTest() }
        let common = [sandbox(tested), worker(tested), limits()].compactMap(\.self)
        let rest = [presetFiles(), ffmpeg(tested), encoders(tested)].compactMap(\.self)
        // All callers who see all jobs get the same result.
        let deep = requests.contains { $0.caller.seesAll } ? [state(), space()] + roots(writing: true) : []
        let database = deep.isEmpty ? [] : [database()]
        let shallow = [space()] + roots(writing: false)
        for request in requests {
            let jobs = [queue(for: request.caller, isDraining: request.isDraining)]
            let own =
                request.caller.seesAll
                ? common + jobs + deep + rest + database : common + jobs + shallow + rest
            request.then(DoctorResult(own))
        }
    }

    /// Whether the queue can be read and jobs are started; counts the caller's waiting jobs.
    private func queue(for caller: Caller, isDraining: Bool) -> DoctorResult.Check {
        do throws(MediaError) {
            try store.checkFiles()
            let counts = try store.counts(for: caller.viewer)
            let waiting = "\(counts[.waiting] ?? 0) jobs\(caller.seesAll ? "" : " of yours") wait"
            if isDraining {
                return DoctorResult.Check(
                    "queue", ok: false, "trimd is draining: no job is started; \(waiting)",
                    remedy: "`trimctl drain --off` starts jobs again, for root and the user trimd runs as")
            }
            guard caller.seesAll, let loss = loss(waiting) else {
                return DoctorResult.Check("queue", ok: true, "jobs are started; \(waiting)")
            }
            return loss
        } catch { return DoctorResult.Check("queue", ok: false, error.message, remedy: error.remedy) }
    }

    /// The data loss found when trimd started; nil: none.
    private func loss(_ waiting: String) -> DoctorResult.Check? {
        if let words = loss.words {
            return DoctorResult.Check(
                "queue", ok: false, "when trimd was started, \(words); \(waiting)",
                remedy: "look into \(configuration.state)/logs; this is said until trimd is restarted")
        }
        return loss.damaged.map { file in
            DoctorResult.Check(
                "queue", ok: false, "the queue was damaged, and a new one begun; \(waiting)",
                remedy: "see \(file): what waited there has to be submitted again; restart trimd then")
        }
    }

    private func sandbox(_ tested: Result<WorkerSelfTest, SystemError>) -> DoctorResult.Check {
        let isRequired = configuration.sandbox == .required
        let remedy =
            "allow Landlock and seccomp where trimd runs"
            + (isRequired ? ", or accept less with --sandbox best-effort" : "")
        let report: WorkerSelfTest
        do throws(SystemError) { report = try tested.get() } catch {
            return DoctorResult.Check(
                "sandbox", ok: false, "the self-test cannot be run: \(error)",
                remedy: "check that \(configuration.workerProgram) is of the same release as trimd")
        }
        let granted = report.attempts.filter { !$0.refused }.map(\.name)
        guard report.seal.missing.isEmpty, granted.isEmpty else {
            let parts = report.seal.missing + granted.map { "a sealed worker can \($0)" }
            let effect = isRequired ? "no job can run" : "jobs run with less protection (best-effort)"
            return DoctorResult.Check(
                "sandbox", ok: false, "\(parts.joined(separator: "; ")): \(effect)", remedy: remedy)
        }
        let policy = configuration.sandbox.rawValue
        let said =
            "workers are sealed by Landlock \(report.seal.landlock ?? 0) and seccomp (\(policy)); "
            + "\(report.attempts.count) attempts to break out were refused"
        return DoctorResult.Check("sandbox", ok: true, said)
    }

    /// Whether trimd and its worker are of the same release; nil if the self-test failed.
    private func worker(_ tested: Result<WorkerSelfTest, SystemError>) -> DoctorResult.Check? {
        guard let report = try? tested.get() else { return nil }
        let isSame = report.version == trimdVersion
        return DoctorResult.Check(
            "worker", ok: isSame, "\(configuration.workerProgram) is of release \(report.version)",
            remedy: isSame
                ? nil : "trimd is of release \(trimdVersion): install both anew, and restart trimd")
    }

    /// The FFmpeg that workers run on, which decides what can be decoded and the bytes of outputs; nil if the self-test failed.
    private func ffmpeg(_ tested: Result<WorkerSelfTest, SystemError>) -> DoctorResult.Check? {
        guard let found = try? tested.get().ffmpeg else { return nil }
        let libraries = found.libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return DoctorResult.Check(
            "ffmpeg", ok: true, "workers run on FFmpeg \(found.version): \(libraries.joined(separator: ", "))"
        )
    }

    /// Whether the encoders of every preset exist; nil if the self-test failed.
    private func encoders(_ tested: Result<WorkerSelfTest, SystemError>) -> DoctorResult.Check? {
        guard let missing = try? tested.get().missingEncoders else { return nil }
        let without = presets.presets.filter { preset in
            [preset.video?.encoder, preset.audio?.encoder].contains { $0.map(missing.contains) ?? false }
        }.map(\.id)
        guard !missing.isEmpty else {
            return DoctorResult.Check("encoders", ok: true, "every preset's encoders are there")
        }
        return DoctorResult.Check(
            "encoders", ok: false,
            "this build of FFmpeg has no \(missing.joined(separator: ", ")): \(without.joined(separator: ", ")) cannot be used",
            remedy: "install an FFmpeg that has them, or use other presets")
    }

    /// The folders open to other users' jobs, and whether trimd may write in them.
    private func roots(writing isDeep: Bool) -> [DoctorResult.Check] {
        let roots = configuration.roots
        return Set(roots.read + roots.write).sorted().map { path in
            do throws(SystemError) {
                let folder = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
                guard roots.write.contains(path) else {
                    return DoctorResult.Check("root", ok: true, "\(path) can be read")
                }
                let free = "\(Doctor.size(try freeBytes(at: folder))) free"
                let use = isDeep ? try writing(in: folder, path) : "can be read, and is for outputs too"
                return DoctorResult.Check("root", ok: true, "\(path) \(use); \(free)")
            } catch {
                return DoctorResult.Check(
                    "root", ok: false, "\(error)",
                    remedy:
                        "give trimd's user the right, and the service the path (ReadWritePaths=), or take it off the roots"
                )
            }
        }
    }

    /// Whether a root is writable. A read-only root can be right: folders beneath it may take outputs, each by its own rights.
    private func writing(in folder: borrowing Descriptor, _ path: String) throws(SystemError) -> String {
        do throws(SystemError) { try Kernel.checkWritable(folder, path) } catch {
            guard error.code == EACCES else { throw error }
            return "can be written in folders beneath it that let trimd's user, not itself"
        }
        return "can be written"
    }

    /// FFmpeg's names of the encoders that presets use.
    private var wantedEncoders: [String] {
        Set(presets.presets.flatMap { [$0.video?.encoder, $0.audio?.encoder].compactMap(\.self) }).sorted()
    }

    private func selfTest() throws(SystemError) -> WorkerSelfTest {
        let words = ["--selftest"] + (configuration.forkServer ? ["--fork-server"] : []) + wantedEncoders
        return try WorkerReport.read(configuration.workerProgram, words, within: Doctor.patience)
    }

    /// The descriptors that a worker needs; a constant here, since the worker is another program.
    private static let workerDescriptors: UInt64 = 64

    /// The resource limits that trimd was started with and its workers inherit; nil: high enough.
    private func limits() -> DoctorResult.Check? {
        if let files = Kernel.hardLimit(RLIMIT_NOFILE), files < Doctor.workerDescriptors {
            return DoctorResult.Check(
                "limits", ok: false,
                "a process may open \(files) files at once (RLIMIT_NOFILE): no job can run",
                remedy: "start trimd with a higher limit: LimitNOFILE= in its unit, or ulimit -n")
        }
        return Kernel.hardLimit(RLIMIT_FSIZE).map { bytes in
            DoctorResult.Check(
                "limits", ok: true, "a file may have \(bytes) bytes (RLIMIT_FSIZE), and no output more")
        }
    }

    private func state() -> DoctorResult.Check {
        let folder = configuration.state
        do throws(SystemError) {
            let descriptor = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
            try Kernel.checkWritable(descriptor, folder)
            return DoctorResult.Check("state", ok: true, "\(folder) can be written")
        } catch {
            return DoctorResult.Check(
                "state", ok: false, "\(error)", remedy: "give trimd's user the right to write there")
        }
    }

    /// Free bytes for people: whole MB below 1 GB, tenths of a GB from there.
    private static func size(_ bytes: Int64) -> String {
        guard bytes >= 1_000_000_000 else { return "\(bytes / 1_000_000) MB" }
        let tenths = bytes / 100_000_000
        return "\(tenths / 10).\(tenths % 10) GB"
    }

    private func space() -> DoctorResult.Check {
        let folder = configuration.state
        do throws(SystemError) {
            let free = try freeBytes(at: try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY))
            let isEnough = free >= Doctor.leastFree
            return DoctorResult.Check(
                "space", ok: isEnough, "\(Doctor.size(free)) free in \(folder)",
                remedy: isEnough ? nil : "make room on the file system of \(folder)")
        } catch { return DoctorResult.Check("space", ok: false, "\(error)") }
    }

    private func presetFiles() -> DoctorResult.Check {
        let count = presets.presets.count
        guard count > 0 else {
            return DoctorResult.Check(
                "presets", ok: false,
                "there are no presets in \(configuration.presetFolders.joined(separator: ", "))",
                remedy: "install trimd whole, or name a folder with --presets")
        }
        let problems = presets.problems.map { "\($0.file): \($0.message)" }
        return DoctorResult.Check(
            "presets", ok: problems.isEmpty,
            problems.isEmpty ? "\(count) presets" : problems.joined(separator: "; "),
            remedy: problems.isEmpty ? nil : "repair or remove these files, and restart trimd")
    }

    private func database() -> DoctorResult.Check {
        do throws(MediaError) {
            try store.checkIntegrity()
            let place = configuration.queue == nil ? "" : ", \(store.place),"
            return DoctorResult.Check("database", ok: true, "the queue's database\(place) is whole")
        } catch {
            return DoctorResult.Check("database", ok: false, error.message, remedy: error.remedy)
        }
    }
}
