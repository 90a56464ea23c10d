// Resource limits of a worker, enforced by the kernel. Set before the first byte of media, only lowered, and never inherited,
// since a worker starts no process. They are the second line of defence: the daemon's watchdog is the first.
internal import CSeccomp
internal import Glibc
internal import Media

/// The kind of work of a worker, which sets its limits.
enum SandboxProfile: String, Sendable {
    /// Probes or verifies a file: writes nothing.
    case probe
    /// Reads a file, or compares two, for as long as a job may take, and writes one image.
    case picture
    /// Reads a part of a file, and writes a file in memory: small pictures, or a segment of a preview.
    case preview
    /// Copies samples to an output, without an encoder.
    case copy
    /// Decodes and encodes.
    case transcode
}

/// The limits of one process.
struct SandboxLimits: Hashable, Sendable {
    /// Bytes of address space.
    var memory: UInt64
    /// Seconds of CPU time.
    var processor: UInt64
    /// Maximum size of a written file in bytes.
    var file: UInt64
    /// Maximum number of descriptors.
    var descriptors = neededDescriptors

    private static let gibibyte: UInt64 = 1 << 30
    /// Maximum size of an image file in bytes: 16384 x 16384 pixels, hardly compressible.
    private static let largestPicture: UInt64 = 1 << 30
    /// Maximum size of a file in memory in bytes: half a minute of a preview, or 64 large pictures.
    private static let largestPreview: UInt64 = 64 << 20

    /// The limits for a kind of work on a machine with this many CPUs.
    ///
    /// Address space is not memory in use: libraries and 8 MiB of stack per thread count in full. Measured on two CPUs: 0.25 GiB
    /// for a waiting worker, 0.45 for probing an 8K file, 1.2 for its export as 1080p. Each CPU adds the frames that a thread of
    /// decoder and encoder holds.
    init(_ profile: SandboxProfile, _ request: SandboxRequest, processors: Int) {
        let threads = UInt64(max(1, processors))
        switch profile {
        case .probe, .copy: memory = 2 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 4
        // Tone mapping uses 12 bytes per pixel, and image encoders hold two more complete frames.
        case .picture, .preview: memory = 4 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 2
        case .transcode:
            memory =
                request.memory.map { UInt64($0) << 20 }
                ?? 8 * SandboxLimits.gibibyte + threads * SandboxLimits.gibibyte / 2
        }
        // Twice the daemon's own limit on all CPUs: the daemon acts first and reports a better error.
        let seconds = profile == .probe ? 120 : UInt64(request.seconds ?? 86_400)
        processor = 2 * seconds * threads
        file =
            switch profile {
            case .probe: 0
            case .picture: SandboxLimits.largestPicture
            case .preview: SandboxLimits.largestPreview
            case .copy, .transcode: request.output.map { UInt64($0) << 20 } ?? UInt64(Int64.max)
            }
    }

    /// Descriptors that a worker needs: the job's few, and those of libdispatch.
    static let neededDescriptors: UInt64 = 64
    /// Descriptors of a worker that joins the units of an export.
    static let joiningDescriptors: UInt64 = 2048

    /// Why this process has too few resources whatever is set here: limits inherited from trimd also apply, and cannot be raised;
    /// nil: they suffice.
    static var shortage: MediaError? {
        let most = trim_limit_hard(trim_limit_nofile)
        guard most < neededDescriptors else { return nil }
        return MediaError(
            .limitReached,
            "a worker may open \(most) files at once (RLIMIT_NOFILE) and needs \(neededDescriptors)",
            remedy: "start trimd with a higher limit: LimitNOFILE= in its unit, or ulimit -n")
    }

    /// Sets the limits; keeps lower ones that were inherited, or set by the daemon for the job.
    /// - Returns: descriptions of limits that could not be set; empty on success.
    func apply() -> [String] {
        // A write past the size limit must return EFBIG, not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        var failures: [String] = []
        // One by one: the type of a table would be looked up anew in each worker.
        func set(_ name: String, _ resource: Int32, _ wanted: UInt64) {
            let hard = trim_limit_hard(resource)
            let value = min(wanted, hard)
            // The soft CPU time limit ends the process with SIGXCPU, the hard one with SIGKILL.
            let code = trim_limit(resource, value, resource == trim_limit_cpu ? min(value &+ 5, hard) : value)
            if code < 0 { failures.append("the limit of \(name): \(words(of: code))") }
        }
        set("address space", trim_limit_as, memory)
        set("processor time", trim_limit_cpu, processor)
        set("file size", trim_limit_fsize, file)
        set("descriptors", trim_limit_nofile, descriptors)
        set("core", trim_limit_core, 0)
        return failures
    }
}

/// The kernel's text for a negative errno.
func words(of code: Int32) -> String { unsafe String(cString: strerror(-code)) }
