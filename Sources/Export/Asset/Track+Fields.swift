// Tracks of HEVC whose pictures are fields: two pictures, and two samples, make a frame.
internal import Media

extension Track {
    /// Each picture that is decoded is a field, and the bottom field of each frame comes first, or the top one; nil where pictures
    /// are frames.
    var isBottomFieldFirst: Bool? {
        guard codec == "hevc", let format = video, format.fieldCoding == .separateSamples else { return nil }
        return format.fieldOrder == .bottomFieldFirst
    }
}
