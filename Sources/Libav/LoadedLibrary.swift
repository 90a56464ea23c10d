// The libraries that this process has mapped, each with what identifies its build. Reads the process's own memory: a sealed worker
// opens no file. Encoders say their versions only in the streams that they write, some not at all, and distributions patch a
// version without changing it.
internal import CFFmpeg
internal import CLinux

/// A mapped library.
public struct LoadedLibrary: Hashable, Sendable {
    /// The name of its file.
    public var name: String
    /// Identifies its build: the linker's build ID; where it has none, its size and a checksum of its code.
    public var build: String

    /// Creates a value.
    public init(name: String, build: String) { (self.name, self.build) = (name, build) }

    /// The libraries that the bytes of decoded, filtered and encoded media depend on: the beginnings of their names.
    private static let media = [
        "libav", "libsw", "libpostproc", "libx264", "libx265", "libSvtAv1", "libaom", "libvpx", "librav1e",
        "libdav1d", "libopenh264", "libkvazaar", "libxvid", "libtheora", "libwebp", "libopenjp2", "libjxl",
        "libmp3lame", "libtwolame", "libfdk-aac", "libopus", "libvorbis", "libogg", "libspeex", "libgsm",
        "libshine", "libcodec2", "libsoxr", "libzimg", "libplacebo", "libass", "libfreetype", "libharfbuzz",
        "libfribidi", "libfontconfig", "libzvbi", "libaribb24", "libdavs2", "libuavs3d", "libxevd",
        "libvvenc",
    ]

    /// Whether the bytes of media depend on it.
    public var isMedia: Bool { LoadedLibrary.media.contains { name.hasPrefix($0) } }

    /// The builds of the libraries that the bytes of media depend on, in one text that does not depend on their order or paths.
    public static func builds(_ libraries: [LoadedLibrary]) -> String {
        libraries.filter(\.isMedia).map { "\($0.name) \($0.build)" }.sorted().joined(separator: "; ")
    }

    /// The mapped libraries that the bytes of media depend on.
    public static var mapped: [LoadedLibrary] {
        var found: [LoadedLibrary] = []
        unsafe withUnsafeMutablePointer(to: &found) { found in
            unsafe trim_each_library(
                { library, found in
                    guard let library = unsafe library?.pointee, let path = unsafe library.path,
                        let found = unsafe found?.assumingMemoryBound(to: [LoadedLibrary].self)
                    else { return }
                    let name = unsafe String(cString: path).split(separator: "/").last.map(String.init) ?? ""
                    var new = LoadedLibrary(name: name, build: "")
                    guard new.isMedia else { return }
                    unsafe new.build = LoadedLibrary.build(library)
                    unsafe found.pointee.append(new)
                }, found)
        }
        return found
    }

    private static func build(_ library: trim_library) -> String {
        if let build = unsafe library.build, unsafe library.build_size > 0 {
            let bytes = unsafe UnsafeBufferPointer(start: build, count: library.build_size)
            return unsafe bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        guard let code = unsafe library.code else { return "" }
        let sum = unsafe av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, code, library.code_size)
        return unsafe "\(library.code_size) \(sum)"
    }
}
