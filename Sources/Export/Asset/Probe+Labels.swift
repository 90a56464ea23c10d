// What tracks say of themselves and FFmpeg does not read: titles and uses in movies, and whole tags of languages.
internal import Media

extension Probe {
    /// What a movie says of a track and FFmpeg does not read.
    static func label(_ track: inout Track, _ facts: MovieBoxes.TrackFacts) {
        if let title = facts.title { (track.title, track.metadata["title"]) = (title, title) }
        if let tag = facts.languageTag { track.language = tag }
        for use in facts.characteristics.compactMap(MovieLabels.use) where !track.dispositions.contains(use) {
            track.dispositions.append(use)
        }
    }

    /// The tags of languages in Matroska. What says no more than the code that FFmpeg knows stays as it is written there.
    static func label(_ tracks: inout [Track], _ tags: [String?]) {
        for (index, tag) in tags.enumerated() where tracks.indices.contains(index) {
            guard let tag, tag.contains("-") || tracks[index].language == nil else { continue }
            tracks[index].language = tag
        }
    }
}
