// A playlist as a source: its text is parsed, the files that it names are measured, and their bytes are read one behind the other
// as one file. Segments that continue one another need nothing else: transport streams follow on, and fragments of a movie follow
// their header. Runs on the caller's thread, in the sealed worker.
public import Libav
public import Media
internal import MediaTime
internal import Playlists

/// A source that a playlist describes.
public struct PlaylistSource: Sendable {
    /// The parts, read as one file; its descriptor is the playlist's.
    public let file: SourceFile
    private let files: PlaylistFiles

    /// Why a file that was there could not be read later; it explains whatever else failed.
    public var failure: MediaError? { files.failure }

    /// Reads a playlist; nil if the file is none.
    /// - Parameter opening: opens the files that it names.
    public init?(_ source: SourceFile, _ opening: any FileOpening) throws(MediaError) {
        guard Playlist.isPlaylist(source.bytes(at: 0, count: Playlist.headLength)) else { return nil }
        let playlist: Playlist
        do throws(PlaylistError) {
            playlist = try Playlist(parsing: source.bytes(at: 0, count: PlaylistLimits.bytes + 1))
        } catch { throw MediaError(error, of: source.name) }
        switch playlist {
        case .media(let media):
            files = PlaylistFiles(media.names, opening)
            let parts = try PlaylistParts(media, of: source, files)
            file = SourceFile(descriptor: source.descriptor, segments: parts.file, name: source.name)
        case .multivariant:
            throw MediaError(
                .playlist, "\(source.name) is a playlist of playlists, which are not supported",
                remedy: "export the media playlist of one quality, which it names")
        }
    }
}

extension MediaError {
    /// The error that users get for a playlist that is not taken.
    init(_ error: PlaylistError, of name: String) {
        let code: ErrorCode =
            switch error.reason {
            case .malformed: .fileFailedToParse
            case .refused: .playlist
            case .tooLarge: .limitReached
            }
        self.init(code, "the playlist \(name) is not taken: \(error)", remedy: error.remedy)
    }
}
