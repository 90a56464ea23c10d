// The names of the files that a playlist refers to, by its text alone: the daemon opens these for the worker that reads the film, and
// no others. It reads nothing but the text, and runs in a sealed worker of its own.
public import Libav
public import Media
internal import Playlists

/// The files that a playlist names.
public struct PlaylistNames: Hashable, Sendable {
    /// Whether they are playlists themselves.
    public let arePlaylists: Bool
    /// Their names relative to the playlist's folder, a line each: none holds a control character.
    public let text: [UInt8]

    /// Reads a playlist.
    public init(of source: SourceFile) throws(MediaError) {
        let names: [RelativeName]
        do throws(PlaylistError) {
            switch try Playlist(parsing: source.bytes(at: 0, count: PlaylistLimits.bytes + 1)) {
            case .media(let media): (arePlaylists, names) = (false, media.names)
            case .concat(let list): (arePlaylists, names) = (false, list.names)
            case .multivariant(let list):
                arePlaylists = true
                names = list.variants.map(\.playlist.name) + list.renditions.compactMap { $0.playlist?.name }
            }
        } catch { throw MediaError(error, of: source.name) }
        text = Array(names.map(\.path).joined(separator: "\n").utf8)
    }
}
