// The source of a worker's request: a file, several files, or what a playlist lists. It is looked at when it is asked for, once, by when the
// process has its limits. Used on the thread that serves the request; the process keeps the descriptor until it exits.
internal import Export
internal import Glibc
internal import Libav
internal import Media
internal import Source

/// The source of a request.
final class WorkerSource {
    /// The descriptor that came with the request.
    let descriptor: Int32
    private let files: DaemonFiles
    private var playlist: Result<PlaylistSource?, MediaError>?
    /// The file with all that it has, where it is no playlist.
    private var whole: SourceFile?

    /// A source that was not looked at yet. The daemon opens the files that it names, where it is a playlist.
    init(_ descriptor: Int32, _ files: DaemonFiles) {
        self.descriptor = descriptor
        self.files = files
    }

    /// The source under a name; throws if it is a playlist that is not taken.
    /// - Parameters:
    ///   - parts: all sources, of which it is the first, where they are several.
    ///   - variant: the quality that is read of a playlist of several; nil: the highest.
    ///   - subtitles: whether a playlist's subtitles are read.
    ///   - namesFilms: whether films without chapters are chapters by their files' names.
    func file(
        _ name: String, _ parts: [SourcePart]? = nil, variant: String? = nil,
        subtitles: SubtitleReading = .none, namesFilms: Bool = true
    ) throws(MediaError) -> SourceFile {
        let file = SourceFile(
            descriptor: descriptor, size: Int64(max(0, lseek(descriptor, 0, SEEK_END))), name: name)
        let found: Result<PlaylistSource?, MediaError>
        let choice = variant.flatMap(VariantChoice.init) ?? .highest
        if let playlist {
            found = playlist
        } else {
            do throws(MediaError) {
                if let parts {
                    found = .success(try PlaylistSource(file, parts, files, namesFilms: namesFilms))
                } else {
                    found = .success(
                        try PlaylistSource(
                            file, files, variant: choice, subtitles: subtitles, namesFilms: namesFilms))
                }
            } catch {
                found = .failure(error)
            }
            playlist = found
        }
        try PlaylistSource.check(choice, of: try found.get(), name)
        guard let listed = try found.get()?.file, let segments = listed.segments else {
            let source = whole ?? file.whole()
            whole = source
            return source
        }
        var source = SourceFile(
            descriptor: descriptor, segments: segments, joined: listed.joined, name: name,
            companions: listed.companions)
        source.unread = listed.unread
        return source
    }

    /// A range of the source, which was looked at, with times in place of the names that a playlist gives them.
    func resolved(_ range: RangeRequest, of name: String) throws(MediaError) -> RangeRequest {
        switch playlist {
        case .success(let source?)?: return try source.resolved(range)
        case .failure(let error)?: throw error
        case .success(nil)?, nil:
            return try PlaylistSource.resolved(range, of: name)
        }
    }

    /// Adds what a playlist says besides its media.
    func describe(_ asset: Asset) -> Asset {
        var asset = asset
        (try? playlist?.get())??.describe(&asset)
        return asset
    }

    /// Why a file of a playlist could not be read any more, which explains whatever else failed.
    var failure: MediaError? { (try? playlist?.get())??.failure }
}
