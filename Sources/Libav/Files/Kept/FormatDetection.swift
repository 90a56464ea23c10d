// Finds the FFmpeg format of a file from its first bytes and its name. Every demuxer that a process opens asks for it, mostly of the
// same few files, and asking all of FFmpeg's formats takes longer than reading the header of one; so the answers are kept. A file
// that has changed since is asked again.
internal import CFFmpeg
internal import Synchronization
internal import Text

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
            let format = unsafe LibavLookup.demuxers["mov"]
        else { return nil }
        return unsafe InputFormat(pointer: format)
    }

    /// AAC of a few frames, of which FFmpeg is as uncertain as of any other format: a file in which the frames follow one another from
    /// the first byte, or from the end of an ID3 tag, to the last. Nil: it is not that.
    private static func shortADTS(_ source: SourceFile) -> InputFormat? {
        guard source.size <= mostADTS else { return nil }
        var rest = source.bytes(at: 0, count: Int(source.size))[...]
        if rest.count > 10, rest.starts(with: "ID3".utf8) {
            let size = rest[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
            rest = rest.dropFirst(10 + size)
        }
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let header = Array(rest.prefix(7))
            // A sync word, the layer's bits are 0, and a length that holds the header.
            guard header.count == 7, header[0] == 0xFF, header[1] & 0xF6 == 0xF0 else { return nil }
            let length = Int(header[3] & 3) << 11 | Int(header[4]) << 3 | Int(header[5]) >> 5
            guard length > 7, length <= rest.count else { return nil }
            rest = rest.dropFirst(length)
        }
        guard let format = unsafe LibavLookup.demuxers["aac"] else { return nil }
        return unsafe InputFormat(pointer: format)
    }

    /// A playlist of HLS, whatever its name is, by which FFmpeg 7 and later know it as well. Nil: it is none.
    private static func playlist(_ source: SourceFile) -> InputFormat? {
        guard PlaylistSignature.isAtStart(of: source.bytes(at: 0, count: PlaylistSignature.length)),
            let format = unsafe LibavLookup.demuxers["hls"]
        else { return nil }
        return unsafe InputFormat(pointer: format)
    }

    /// Of larger files FFmpeg is certain.
    private static let mostADTS = 1 << 16

    /// Whether the content of a file looks like media, whatever its name says: more than a name alone would say.
    static func isMedia(_ source: SourceFile) -> Bool {
        guard let io = try? FileIO(reading: source) else { return true }
        var pointer: UnsafePointer<AVInputFormat>?
        return unsafe av_probe_input_buffer2(io.context, &pointer, nil, nil, 0, 0) > 50
    }

    /// Returns the format of a file; nil if FFmpeg knows none.
    /// - Parameter io: reads the file; stays at its beginning.
    func format(of source: SourceFile, _ io: FileIO) -> InputFormat? {
        let asked = SourceVersion(source)
        if let asked, let format = known.withLock({ $0[asked] }) { return format }
        count.add(1, ordering: .relaxed)
        let format: InputFormat
        if let own = FormatDetection.movie(source) ?? FormatDetection.playlist(source) {
            format = own
        } else {
            var pointer: UnsafePointer<AVInputFormat>?
            let score = unsafe av_probe_input_buffer2(io.context, &pointer, source.name, nil, 0, 0)
            if score >= 0, let pointer = unsafe pointer {
                unsafe format = InputFormat(pointer: pointer)
            } else if let audio = FormatDetection.shortADTS(source) {
                format = audio
            } else {
                return nil
            }
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
