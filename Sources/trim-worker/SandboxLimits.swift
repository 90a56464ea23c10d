// Limits of a worker: what the kernel refuses a process that takes too much. Set before the first byte of media, lowered
// only, and inherited by nobody, since a worker starts nothing. They are the second line: the daemon's watchdog is the first.
internal import CSeccomp
internal import Glibc
internal import Media

/// What kind of work a worker does, and so what it may take.
enum SandboxProfile: String, Sendable {
    /// Looks at a file, or verifies one: writes nothing.
    case probe
    /// Looks at a file, or compares two, for as long as a job may take, and writes one picture.
    case picture
    /// Writes an output of samples as stored, without an encoder.
    case copy
    /// Decodes and encodes.
    case transcode
}

/// The limits of one process.
struct SandboxLimits: Hashable, Sendable {
    /// Bytes of address space.
    var memory: UInt64
    /// Seconds of processor time.
    var processor: UInt64
    /// Bytes of the largest file that may be written.
    var file: UInt64
    /// Descriptors.
    var descriptors = neededDescriptors

    private static let gibibyte: UInt64 = 1 << 30
    /// Bytes of a picture file: one of 16384 x 16384 pixels with hardly anything alike in it.
    private static let largestPicture: UInt64 = 1 << 30

    /// The limits of a kind of work on a machine with so many processors.
    ///
    /// Address space is not memory in use: libraries and 8 MiB of stack a thread count in full. Measured on two
    /// processors: 0.25 GiB for a worker that waits, 0.45 for a look at a film in 8K, 1.2 for its export as 1080p. Each
    /// processor adds the pictures that a thread of decoder and encoder holds.
    init(_ profile: SandboxProfile, _ request: SandboxRequest, processors: Int) {
        let threads = UInt64(max(1, processors))
        switch profile {
        case .probe, .copy: memory = 2 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 4
        // Tone-mapping works on 12 bytes a pixel, and encoders of pictures hold two whole ones more.
        case .picture: memory = 4 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 2
        case .transcode:
            memory =
                request.memory.map { UInt64($0) << 20 }
                ?? 8 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 2
        }
        // Twice what the daemon would wait for on all processors: it speaks first, with the better words.
        let seconds = profile == .probe ? 120 : UInt64(request.seconds ?? 86_400)
        processor = 2 * seconds * threads
        file =
            switch profile {
            case .probe: 0
            case .picture: SandboxLimits.largestPicture
            case .copy, .transcode: request.output.map { UInt64($0) << 20 } ?? UInt64(Int64.max)
            }
    }

    /// Descriptors that a worker needs: the job's few, and those of libdispatch.
    static let neededDescriptors: UInt64 = 64

    /// Why this process has too little to work with, whatever is set here: what it has inherited from trimd is a limit too, and
    /// the kernel lets nobody raise it; nil: it has enough.
    static var shortage: MediaError? {
        let most = trim_limit_hard(trim_limit_nofile)
        guard most < neededDescriptors else { return nil }
        return MediaError(
            .limitReached,
            "a worker may open \(most) files at once (RLIMIT_NOFILE) and needs \(neededDescriptors)",
            remedy: "start trimd with a higher limit: LimitNOFILE= in its unit, or ulimit -n")
    }

    /// Sets them; where what was inherited, or set by the daemon for the job, is lower, that stays.
    /// - Returns: what could not be set, in words; empty where all is well.
    func apply() -> [String] {
        // Beyond the size limit a write is to answer EFBIG, not to kill.
        signal(SIGXFSZ, SIG_IGN)
        let wanted: [(String, Int32, UInt64)] = [
            ("address space", trim_limit_as, memory), ("processor time", trim_limit_cpu, processor),
            ("file size", trim_limit_fsize, file), ("descriptors", trim_limit_nofile, descriptors),
            ("core", trim_limit_core, 0),
        ]
        return wanted.compactMap { name, resource, wanted in
            let hard = trim_limit_hard(resource)
            let value = min(wanted, hard)
            // Of processor time the soft limit says its name as it ends the process (SIGXCPU), the hard one not.
            let code = trim_limit(resource, value, resource == trim_limit_cpu ? min(value &+ 5, hard) : value)
            return code < 0 ? "the limit of \(name): \(words(of: code))" : nil
        }
    }
}

/// The kernel's words for a negative error number.
func words(of code: Int32) -> String { unsafe String(cString: strerror(-code)) }
