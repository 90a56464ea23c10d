// Joins what a playlist lists where discontinuities, gaps or other headers divide it: each piece is measured, and all are put on one
// timeline, those of alternative audio with the film's. Runs on the caller's thread, in the sealed worker.
internal import Libav
internal import Media
internal import MediaTime
internal import Playlists

/// The join of a playlist's pieces.
enum PlaylistJoin {
    /// The joined sources of streams that are played together; none if each is read as one file.
    /// - Parameter source: the playlist.
    static func sources(
        _ streams: [PlaylistStream], of source: SourceFile
    ) throws(MediaError) -> [JoinedSource] {
        guard streams.contains(where: \.parts.isDivided) else { return [] }
        var builders: [JoinedBuilder] = []
        for stream in streams {
            let builder = try media(.outOfMemory) { () throws(LibavError) in
                try JoinedBuilder(source, stream.parts.pool)
            }
            for piece in stream.parts.pieces { try add(piece, to: builder) }
            builder.end(after: stream.parts.gapAtEnd)
            guard !builder.isEmpty else {
                throw MediaError(.fileFailedToParse, "\(stream.name): nothing in its segments can be shown")
            }
            builders.append(builder)
        }
        let parts = Set(streams.first?.parts.pieces.map(\.file.part) ?? [])
        for stream in streams.dropFirst() where !parts.isSuperset(of: stream.parts.pieces.map(\.file.part)) {
            throw MediaError(
                .playlist, "\(stream.name) has discontinuities that \(source.name) does not have",
                remedy: "the playlists of one film must be divided alike")
        }
        return JoinedBuilder.join(builders)
    }

    private static func add(_ piece: PlaylistPiece, to builder: JoinedBuilder) throws(MediaError) {
        do throws(JoinError) { _ = try builder.add(piece.file, length: piece.length) } catch {
            let (first, last) = (piece.segments.first, piece.segments.last)
            let start = first?.start ?? .zero
            let times = "from \(start.clock()) to \((last?.end ?? start).clock())"
            throw MediaError(
                error.isRefusal ? .playlist : .fileFailedToParse,
                "\(error.place): the part \(times) cannot be joined: \(error.reason)", time: start,
                remedy: "split the playlist there, and export each part")
        }
    }
}
