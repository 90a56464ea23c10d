// Finds the FFmpeg format of a file from its first bytes and its name. Every demuxer that a process opens asks for it, mostly of the
// same few files, and asking all of FFmpeg's formats takes longer than reading the header of one; so the answers are kept. A file
// that has changed since is asked again.
internal import CFFmpeg
internal import Synchronization

/// One of FFmpeg's formats.
///
/// `@unchecked Sendable`: FFmpeg's formats are constants, which it never frees.
@safe struct InputFormat: @unchecked Sendable {
    let pointer: UnsafePointer<AVInputFormat>

    /// Its short names, separated by commas.
    var name: String { unsafe text(pointer.pointee.name) ?? "" }
    /// Its name for people.
    var longName: String { unsafe text(pointer.pointee.long_name) ?? name }
}

/// The formats of files.
final class FormatDetection: Sendable {
    /// The answers of this process.
    static let shared = FormatDetection()

    private let known = Mutex<[SourceVersion: InputFormat]>([:])
    /// Answers that are kept. More files than these are units that are joined, each of them opened once.
    private static let most = 16

    /// How many files FFmpeg has examined.
    var examined: Int { count.load(ordering: .relaxed) }
    private let count = Atomic(0)

    /// Brands of films and sound in MP4 and QuickTime.
    private static let brands: Set<String> = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "qt  ", "M4V ", "M4A ",
    ]

    /// The format of a file that begins with a file type box with one of those brands. Asked for it, FFmpeg is certain, after it has asked
    /// all of its formats. Nil: it must be asked.
    private static func movie(_ source: SourceFile) -> InputFormat? {
        let head = source.bytes(at: 0, count: 12)
        guard head.count == 12, head[..<2].allSatisfy({ $0 == 0 }), head[4..<8].elementsEqual("ftyp".utf8),
            brands.contains(String(decoding: head[8...], as: UTF8.self)),
            let format = unsafe av_find_input_format("mov")
        else { return nil }
        return unsafe InputFormat(pointer: format)
    }

    /// Returns the format of a file; nil if FFmpeg knows none.
    /// - Parameter io: reads the file; stays at its beginning.
    func format(of source: SourceFile, _ io: FileIO) -> InputFormat? {
        let asked = SourceVersion(source)
        if let asked, let format = known.withLock({ $0[asked] }) { return format }
        count.add(1, ordering: .relaxed)
        let format: InputFormat
        if let movie = FormatDetection.movie(source) {
            format = movie
        } else {
            var pointer: UnsafePointer<AVInputFormat>?
            let score = unsafe av_probe_input_buffer2(io.context, &pointer, source.name, nil, 0, 0)
            guard score >= 0, let pointer = unsafe pointer else { return nil }
            unsafe format = InputFormat(pointer: pointer)
        }
        if let asked {
            known.withLock { known in
                if known.count >= FormatDetection.most { known = [:] }
                known[asked] = format
            }
        }
        return format
    }
}
