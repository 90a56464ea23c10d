// Track labels that FFmpeg does not read: titles and uses in movies, and complete language tags.
package import Media

extension Probe {
    /// Applies labels from a movie that FFmpeg does not read.
    package static func label(_ track: inout Track, _ facts: MovieBoxes.TrackFacts) {
        if let title = facts.title { (track.title, track.metadata["title"]) = (title, title) }
        if let tag = facts.languageTag { track.language = tag }
        for use in facts.characteristics.compactMap(MovieLabels.use) where !track.dispositions.contains(use) {
            track.dispositions.append(use)
        }
    }

    /// The name of a track's handler, without the length that some writers of ISO files put first as QuickTime's do (a Pascal string);
    /// FFmpeg leaves that out of QuickTime movies alone. A letter or digit is no length: a name may begin with it.
    package static func title(ofHandler name: String) -> String {
        guard let length = name.utf8.first, Int(length) == name.utf8.count - 1,
            !Character(Unicode.Scalar(length)).isLetter, !Character(Unicode.Scalar(length)).isNumber
        else { return name }
        return String(decoding: name.utf8.dropFirst(), as: UTF8.self)
    }

    /// Applies Matroska's language tags. A tag that says no more than FFmpeg's code keeps its stored form.
    package static func label(_ tracks: inout [Track], _ tags: [String?]) {
        for (index, tag) in tags.enumerated() where tracks.indices.contains(index) {
            guard let tag, tag.contains("-") || tracks[index].language == nil else { continue }
            tracks[index].language = tag
        }
    }
}
