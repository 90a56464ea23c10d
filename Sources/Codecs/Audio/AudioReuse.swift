// How audio is encoded that should keep its codec.

/// The codec and encoder that keep a track's type.
package struct AudioReuse {
    /// FFmpeg's names.
    package var codec: String, encoder: String
    /// The highest useful bit rate of a stereo track in bits per second; nil for lossless codecs.
    package var highestBitRate: Int?
}
