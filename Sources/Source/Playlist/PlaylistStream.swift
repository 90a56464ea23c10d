// One media playlist of a source: its text, its files, and their bytes as one file. Runs on the caller's thread, in the sealed worker.
internal import Libav
package import Media
package import Playlists

/// The stream that a media playlist lists.
package struct PlaylistStream {
    /// Its name, for messages.
    package let name: String
    /// The files that it names.
    package let files: PlaylistFiles
    /// Their bytes.
    let parts: PlaylistParts

    /// The most files that are open at a time; a worker may have 64 descriptors.
    package static let mostOpen = 12

    /// The stream of a playlist that was parsed; `name` is its name in messages.
    package init(
        _ playlist: MediaPlaylist, named name: String, _ opening: any FileOpening,
        mostOpen: Int = PlaylistStream.mostOpen
    ) throws(MediaError) {
        files = PlaylistFiles(playlist.names, opening)
        parts = try PlaylistParts(playlist, named: name, files, mostOpen: mostOpen)
        self.name = name
    }

    /// The media playlist that another one names, as seen from the other one's folder.
    /// - Parameter list: the name of the other one, for messages.
    package static func media(
        of resource: PlaylistResource, in list: String, _ opening: any FileOpening
    ) throws(MediaError) -> MediaPlaylist {
        let name = resource.name.path
        guard let opened = opening.open([name]).first else {
            throw MediaError(.unknown, "\(name) was not opened")
        }
        let bytes: [UInt8]
        do throws(MediaError) {
            let file = try opened.get()
            bytes = SourceFile(descriptor: file.descriptor, size: file.size, name: name)
                .bytes(at: 0, count: PlaylistLimits.bytes + 1)
        } catch {
            throw MediaError(
                error.code, "\(list), line \(resource.line): the playlist \(name): \(error.message)",
                remedy: error.remedy)
        }
        let playlist: Playlist
        do throws(PlaylistError) { playlist = try Playlist(parsing: bytes) } catch {
            throw MediaError(error, of: name)
        }
        guard case .media(let media) = playlist else {
            throw MediaError(
                .playlist, "\(list), line \(resource.line): \(name) is a playlist of playlists itself",
                remedy: "export one of those that it names")
        }
        return media.beneath(resource.name.folder)
    }
}

extension MultivariantPlaylist {
    /// The variant that is read; throws if there is none.
    /// - Parameter list: the name of the playlist, for messages.
    package func variant(_ choice: VariantChoice, in list: String) throws(MediaError) -> PlaylistVariant {
        func size(_ variant: PlaylistVariant) -> (Int, Int64) {
            ((variant.width ?? 0) * (variant.height ?? 0), variant.bandwidth)
        }
        let found =
            switch choice {
            case .highest: variants.max { size($0) < size($1) }
            case .lowest: variants.min { size($0) < size($1) }
            case .number(let number): variants.indices.contains(number - 1) ? variants[number - 1] : nil
            case .size(let width, let height):
                variants.filter { $0.width == width && $0.height == height }.max { size($0) < size($1) }
            }
        if let found { return found }
        let all = variants.prefix(20).enumerated().map { "\($0 + 1) (\($1.described))" }
        throw MediaError(
            .invalidRequest, "\(list) has no such variant: there are \(all.joined(separator: ", "))",
            remedy: "choose one of these by its number or size, or take highest")
    }
}
