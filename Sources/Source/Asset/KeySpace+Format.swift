// The space of metadata keys, by the container.
package import Media

extension KeySpace {
    /// The space of a key that FFmpeg reports for a container.
    package init(of key: String, format: String, brand: String?) {
        let formats = format.split(separator: ",")
        self =
            if formats.contains("mov") {
                if key.hasPrefix("com.apple.quicktime.") {
                    .quickTimeMetadata
                } else if brand == "qt  " || ["make", "model", "location"].contains(key) {
                    .quickTimeUserData
                } else {
                    .iTunes
                }
            } else if formats.contains("matroska") {
                .matroska
            } else if formats.contains("ogg") || formats.contains("flac") {
                .vorbis
            } else if !formats.allSatisfy({ !["mp3", "aac", "aiff", "tta"].contains($0) }) {
                .id3
            } else if formats.contains("wav") || formats.contains("avi") {
                .riff
            } else if formats.contains("mpegts") {
                .mpegts
            } else {
                .other
            }
    }
}
