// QuickTime Animation: lossless; each key frame holds all its lines.

/// QuickTime Animation.
package enum AnimationCodec: VideoCodec {
    package static let names: Set<String> = ["qtrle"]
}
