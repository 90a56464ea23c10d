// A folder of a test's own, the files opened in it, and the presets that come with trimd.
import FoundationEssentials
import Glibc
import Libav
import Media
import Synchronization
import Testing

/// A folder that goes with the last reference to it, and descriptors that are closed with it.
final class Scratch: Sendable {
    let path: String
    private let descriptors = Mutex<[Int32]>([])

    init() throws {
        // The libraries' words would only hide the tests' own.
        LibavLog.redirect { _ in }
        path = FileManager.default.temporaryDirectory.path + "/export-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        for descriptor in descriptors.withLock({ $0 }) { close(descriptor) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A name that is not taken yet.
    func name(_ type: String) -> String { path + "/\(UUID().uuidString).\(type)" }

    /// Opens a file as the daemon would for a worker.
    func source(_ file: String) throws -> SourceFile {
        let descriptor = try keep(unsafe open(file, O_RDONLY | O_CLOEXEC), file)
        return SourceFile(
            descriptor: descriptor, size: Int64(lseek(descriptor, 0, SEEK_END)),
            name: file.split(separator: "/").last.map(String.init) ?? file)
    }

    /// A source that holds these bytes.
    func source(bytes: [UInt8], name: String = "bytes.mp4") throws -> SourceFile {
        let file = self.name("bin")
        try Data(bytes).write(to: URL(filePath: file))
        let source = try source(file)
        return SourceFile(descriptor: source.descriptor, size: source.size, name: name)
    }

    /// A new file that is open for writing and reading.
    func output(_ file: String) throws -> Int32 {
        try keep(unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), file)
    }

    /// Something that is there already, open for writing.
    func existing(_ file: String) throws -> Int32 { try keep(unsafe open(file, O_RDWR | O_CLOEXEC), file) }

    private func keep(_ descriptor: Int32, _ file: String) throws -> Int32 {
        try #require(descriptor >= 0, "\(file) cannot be opened")
        descriptors.withLock { $0.append(descriptor) }
        return descriptor
    }
}

/// Paths beside the tests, found from this file: the checkout may be anywhere.
enum Paths {
    static let checkout = ancestor(4)
    static let presets = checkout + "/Presets"
    /// Real media that may lie beside the checkout.
    static let media = ancestor(5) + "/shared/media"

    /// Tools that may lie beside the checkout, or where `TOOLS` says.
    static let tools = ProcessInfo.processInfo.environment["TOOLS"] ?? ancestor(5) + "/shared/tools"

    static func hasMedia(_ name: String) -> Bool { unsafe access(media + "/" + name, R_OK) == 0 }

    private static func ancestor(_ count: Int, of file: String = #filePath) -> String {
        file.split(separator: "/", omittingEmptySubsequences: false).dropLast(count).joined(separator: "/")
    }
}

/// A preset that comes with trimd, at a fast speed of its encoder: what most tests look at does not depend on how long an encoder
/// searches, and that would be most of their time.
func preset(_ id: String) throws -> Preset {
    var preset = try storedPreset(id)
    switch preset.video?.encoder {
    case "libx264": preset.video?.speed = "veryfast"
    case "libx265": preset.video?.speed = "superfast"
    case "libsvtav1": preset.video?.speed = "10"
    case "libvpx-vp9": preset.video?.options?["cpu-used"] = "5"
    default: break
    }
    return preset
}

/// A preset that comes with trimd, as it is.
func storedPreset(_ id: String) throws -> Preset { try catalogue.preset(id) }

/// Read once: a catalogue is some thirty files.
private let catalogue = PresetCatalogue(folders: [Paths.presets])
