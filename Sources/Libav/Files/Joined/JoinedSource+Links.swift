// Links of one file, each a container of its own with its own headers and times, as one source: chained Ogg.
internal import MediaTime

extension JoinedSource {
    /// A file whose links follow one another.
    /// - Parameter links: the bytes of each, in order.
    public static func chain(_ links: [Range<Int64>], of file: SourceFile) throws(JoinError) -> SourceFile {
        let pool = file.pool
        let builder: JoinedBuilder
        do throws(LibavError) { builder = try JoinedBuilder(file, pool) } catch {
            throw JoinError(place: file.name, reason: "\(error)", isRefusal: false)
        }
        for (number, link) in links.enumerated() {
            let piece = PieceFile(
                part: number, header: nil, segments: [file.part(link)], gap: .zero,
                place: "link \(number + 1)")
            _ = try builder.add(piece, length: .zero)
        }
        return SourceFile(
            descriptor: file.descriptor,
            segments: SegmentedFile(parts: links.map(file.part), identity: "", pool: pool),
            joined: JoinedBuilder.join([builder]).first, name: file.name)
    }
}
