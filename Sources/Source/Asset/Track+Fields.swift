// HEVC tracks whose pictures are fields: two pictures, and two samples, make a frame.
internal import Codecs
package import Media

extension Track {
    /// Set where each decoded picture is a field: whether the bottom field of each frame comes first; nil if pictures are
    /// frames.
    package var isBottomFieldFirst: Bool? {
        guard videoCodec.codesFieldsAsPictures, let format = video, format.fieldCoding == .separateSamples
        else { return nil }
        return format.fieldOrder == .bottomFieldFirst
    }
}
