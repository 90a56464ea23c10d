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
    private let files: [PlaylistFiles]
    /// Whether it names several qualities of which one is read.
    private let hasVariants: Bool

    /// Why a file that was there could not be read later; it explains whatever else failed.
    public var failure: MediaError? { files.lazy.compactMap(\.failure).first }

    /// Reads a playlist; nil if the file is none.
    /// - Parameters:
    ///   - opening: opens the files that it names.
    ///   - variant: the quality that is read where it names several.
    public init?(
        _ source: SourceFile, _ opening: any FileOpening, variant: VariantChoice = .highest
    ) throws(MediaError) {
        guard Playlist.isPlaylist(source.bytes(at: 0, count: Playlist.headLength)) else { return nil }
        let playlist: Playlist
        do throws(PlaylistError) {
            playlist = try Playlist(parsing: source.bytes(at: 0, count: PlaylistLimits.bytes + 1))
        } catch { throw MediaError(error, of: source.name) }
        switch playlist {
        case .media(let media):
            let stream = try PlaylistStream(media, named: source.name, opening)
            files = [stream.files]
            hasVariants = false
            file = SourceFile(descriptor: source.descriptor, segments: stream.segments, name: source.name)
        case .multivariant(let list):
            let chosen = try list.variant(variant, in: source.name)
            let stream = try PlaylistStream(of: chosen.playlist, in: source.name, opening)
            var all = [stream.files]
            var companions: [SourceCompanion] = []
            for rendition in list.audio(of: chosen).prefix(PlaylistSource.mostRenditions) {
                guard let own = rendition.playlist else { continue }
                let audio = try PlaylistStream(of: own, in: source.name, opening, mostOpen: 2)
                all.append(audio.files)
                var metadata = ["title": rendition.name]
                if let language = rendition.language { metadata["language"] = language }
                companions.append(
                    SourceCompanion(
                        file: SourceFile(
                            descriptor: source.descriptor, segments: audio.segments, name: own.name.path),
                        metadata: metadata, isDefault: rendition.isDefault))
            }
            files = all
            hasVariants = true
            file = SourceFile(
                descriptor: source.descriptor, segments: stream.segments, name: source.name,
                companions: companions)
        }
    }

    /// The most tracks of alternative audio: each needs two descriptors while it is read.
    private static let mostRenditions = 12
}

extension PlaylistSource {
    /// Throws if a choice names one of several qualities, and a source offers none.
    /// - Parameter playlist: the source; nil: it is no playlist.
    public static func check(
        _ choice: VariantChoice, of playlist: PlaylistSource?, _ name: String
    ) throws(MediaError) {
        switch choice {
        case .highest, .lowest: return
        case .number, .size:
            guard playlist?.hasVariants != true else { return }
            throw MediaError(
                .invalidRequest, "\(name) does not offer several variants to choose from",
                remedy: "leave out --variant")
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
