// The files beneath a playlist's folder, opened as the daemon does for a worker; and playlists made of films by ffmpeg.
import Export
import FoundationEssentials
import Glibc
import Libav
import Media
import Synchronization
import Testing

@testable import Source

/// Opens files beneath a folder, and counts.
final class FolderFiles: FileOpening {
    let folder: String
    private let counted = Mutex<[String: Int]>([:])

    init(_ folder: String) { self.folder = folder }

    /// How often each file was opened.
    var counts: [String: Int] { counted.withLock { $0 } }

    func open(_ names: [String]) -> [Result<OpenSegment, MediaError>] {
        names.map { name in
            counted.withLock { $0[name, default: 0] += 1 }
            let descriptor = unsafe Glibc.open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
            let facts = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            let identity = "\(facts?[.size] ?? 0) \(facts?[.modificationDate] ?? 0)"
            guard descriptor >= 0, let file = OpenSegment(adopting: descriptor, identity: identity) else {
                return .failure(MediaError(.fileNotFound, "opening \(name): No such file or directory"))
            }
            return .success(file)
        }
    }
}

/// Opens several sources by their numbers.
struct NumberedFiles: FileOpening {
    private let paths: [String]
    private let files = FolderFiles("")

    init(_ paths: [String]) { self.paths = paths }

    func open(_ names: [String]) -> [Result<OpenSegment, MediaError>] {
        files.open(names.map { name in Int(name).map { String(paths[$0].dropFirst()) } ?? "none" })
    }
}

/// How ffmpeg packs a film into a playlist.
enum Packing: String, CaseIterable, Sendable {
    case ts, oneTS, fMP4, oneMP4

    /// The arguments of ffmpeg's muxer.
    var words: [String] {
        let common = ["-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_playlist_type", "vod"]
        return switch self {
        case .ts: common
        case .oneTS: common + ["-hls_flags", "single_file"]
        case .fMP4: common + ["-hls_segment_type", "fmp4"]
        case .oneMP4: common + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"]
        }
    }
}

/// A playlist, and the same bytes as one file.
struct PackedFilm {
    let list: String
    /// All its files, one behind the other.
    let whole: String
    let folder: String

    /// Packs a film that is made of these words.
    init(_ words: [String], _ packing: Packing, in scratch: Scratch) throws {
        folder = scratch.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        list = folder + "/list.m3u8"
        let film = scratch.name("mp4")
        try Tool.ffmpeg(words + [film])
        try Tool.ffmpeg(["-i", film, "-c", "copy"] + packing.words + [list])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "list.m3u8" }
            .sorted { a, b in
                // The header first, then the segments by number.
                func number(_ name: String) -> Int {
                    Int(name.filter(\.isNumber).dropFirst(name.hasPrefix("init") ? 99 : 0)) ?? -1
                }
                return number(a) < number(b)
            }
        whole = scratch.name(packing == .ts || packing == .oneTS ? "ts" : "mp4")
        var all = Data()
        for name in names { all.append(try Data(contentsOf: URL(filePath: folder + "/" + name))) }
        try all.write(to: URL(filePath: whole))
    }

    /// The playlist as a source.
    func source(in scratch: Scratch) throws -> SourceFile {
        try #require(try PlaylistSource(try scratch.source(list), FolderFiles(folder))).file
    }
}
