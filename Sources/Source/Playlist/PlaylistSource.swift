// A source of several files: a playlist, or sources that a request names one by one. Of a playlist the text is parsed, the files that it names are measured, and their bytes are read one behind the other
// as one file. Segments that continue one another need nothing else: transport streams follow on, and fragments of a movie follow
// their header. Runs on the caller's thread, in the sealed worker.
public import Libav
public import Media
internal import MediaTime
package import Playlists
internal import Text

/// A source that a playlist describes, or several sources of a request.
public struct PlaylistSource: Sendable {
    /// The parts, read as one file; its descriptor is the playlist's.
    public let file: SourceFile
    private let files: [PlaylistFiles]
    /// The playlist of the segments that are read; nil: it lists films.
    let media: MediaPlaylist?
    /// The name of that playlist.
    let mediaName: String
    /// The films that it lists or is; nil: it is a playlist of segments.
    let films: FilmSequence?
    /// The playlist that names several, and which of its variants is read; nil: there is none.
    let choice: (list: MultivariantPlaylist, variant: PlaylistVariant)?
    /// Whether it names several qualities of which one is read.
    private var hasVariants: Bool { choice != nil }

    /// Why a file that was there could not be read later; it explains whatever else failed.
    public var failure: MediaError? { files.lazy.compactMap(\.failure).first }

    /// Several sources, one after the other.
    /// - Parameters:
    ///   - source: the first of them.
    ///   - opening: opens them by their numbers.
    ///   - namesFilms: whether those without chapters are chapters by their files' names.
    public init(
        _ source: SourceFile, _ parts: [SourcePart], _ opening: any FileOpening, namesFilms: Bool = true
    ) throws(MediaError) {
        let named = PlaylistFiles(paths: parts.map(\.path), opening)
        let sequence = try FilmSequence(parts, of: source, named, namesFilms: namesFilms)
        (media, mediaName, choice, films) = (nil, source.name, nil, sequence)
        (files, file) = ([named], sequence.file)
    }

    /// Reads a playlist; nil if the file is none.
    /// - Parameters:
    ///   - opening: opens the files that it names.
    ///   - variant: the quality that is read where it names several.
    ///   - subtitles: whether subtitles are read: all of their segments are, at once.
    ///   - namesFilms: whether films that it lists are chapters by their files' names, where they have none.
    public init?(
        _ source: SourceFile, _ opening: any FileOpening, variant: VariantChoice = .highest,
        subtitles: SubtitleReading = .needed, namesFilms: Bool = true
    ) throws(MediaError) {
        guard PlaylistSignature.isAtStart(of: source.bytes(at: 0, count: PlaylistSignature.length)) else {
            return nil
        }
        let playlist: Playlist
        do throws(PlaylistError) {
            playlist = try Playlist(parsing: source.bytes(at: 0, count: PlaylistLimits.bytes + 1))
        } catch { throw MediaError(error, of: source.name) }
        switch playlist {
        case .media(let media):
            let stream = try PlaylistStream(media, named: source.name, opening)
            files = [stream.files]
            (self.media, mediaName, choice, films) = (media, source.name, nil, nil)
            file = SourceFile(
                descriptor: source.descriptor, segments: stream.parts.file,
                joined: try PlaylistJoin.sources([stream], of: source).first, name: source.name)
        case .concat(let list):
            let named = PlaylistFiles(list.names, opening)
            let sequence = try FilmSequence(list, of: source, named, namesFilms: namesFilms)
            (media, mediaName, choice, films) = (nil, source.name, nil, sequence)
            (files, file) = ([named], sequence.file)
        case .multivariant(let list):
            let chosen = try list.variant(variant, in: source.name)
            let media = try PlaylistStream.media(of: chosen.playlist, in: source.name, opening)
            (self.media, mediaName, choice, films) = (media, chosen.playlist.name.path, (list, chosen), nil)
            let stream = try PlaylistStream(media, named: mediaName, opening)
            var streams = [stream]
            var renditions: [PlaylistRendition] = []
            for rendition in list.audio(of: chosen).prefix(PlaylistSource.mostRenditions) {
                guard let own = rendition.playlist else { continue }
                streams.append(
                    try PlaylistStream(
                        PlaylistStream.media(of: own, in: source.name, opening), named: own.name.path,
                        opening,
                        mostOpen: 2))
                renditions.append(rendition)
            }
            let joined = try PlaylistJoin.sources(streams, of: source)
            var companions = zip(renditions, streams.indices.dropFirst()).map { rendition, index in
                rendition.companion(
                    SourceFile(
                        descriptor: source.descriptor, segments: streams[index].parts.file,
                        joined: joined.isEmpty ? nil : joined[index], name: streams[index].name))
            }
            files = streams.map(\.files)
            var whole = SourceFile(
                descriptor: source.descriptor, segments: stream.parts.file, joined: joined.first,
                name: source.name, companions: companions)
            let texts = subtitles == .none ? [] : list.subtitles(of: chosen)
            if !texts.isEmpty, let zero = Probe.origin(of: whole) {
                var unread: [String] = []
                for rendition in texts.prefix(PlaylistSource.mostSubtitles) {
                    guard let own = rendition.playlist else { continue }
                    do throws(MediaError) {
                        let stream = try SubtitleStream(
                            of: own, in: source.name, zero: zero, PartClocks(media, joined.first), opening)
                        companions.append(rendition.companion(stream.file))
                    } catch {
                        guard subtitles == .offered || error.isOfAnotherKind else {
                            throw MediaError(
                                error.code, error.message, time: error.time,
                                remedy:
                                    "\(error.remedy ?? "see what the playlist names"), or leave them out: "
                                    + "--subtitles none")
                        }
                        unread.append("the subtitles '\(rendition.name)' are left out: \(error.message)")
                    }
                }
                whole = SourceFile(
                    descriptor: source.descriptor, segments: stream.parts.file, joined: joined.first,
                    name: source.name, companions: companions)
                whole.unread = unread
            }
            file = whole
        }
    }

    /// The most tracks of alternative audio: each needs two descriptors while it is read.
    private static let mostRenditions = 12
    /// The most tracks of subtitles.
    private static let mostSubtitles = 32
}

/// Whether the subtitles of a playlist are read: all of their segments are, at once.
public enum SubtitleReading: Hashable, Sendable {
    /// They are not.
    case none
    /// They are; those that cannot be are left out.
    case offered
    /// They are; those that should be readable and are not are an error.
    case needed
}

extension MediaError {
    /// Whether subtitles are larger, or of another kind, than are read.
    fileprivate var isOfAnotherKind: Bool { code == .limitReached || code == .fileFormatNotRecognized }
}

extension PlaylistRendition {
    /// The tracks of its file, under its name.
    fileprivate func companion(_ file: SourceFile) -> SourceCompanion {
        var metadata = ["title": name]
        if let language { metadata["language"] = language }
        return SourceCompanion(file: file, metadata: metadata, isDefault: isDefault, isForced: isForced)
    }
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
    package init(_ error: PlaylistError, of name: String) {
        let code: ErrorCode =
            switch error.reason {
            case .malformed: .fileFailedToParse
            case .refused: .playlist
            case .tooLarge: .limitReached
            }
        self.init(code, "the playlist \(name) is not taken: \(error)", remedy: error.remedy)
    }
}
