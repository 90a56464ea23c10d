// H.263, and Sorenson H.263 in Flash: each key frame says how it is coded; there is no other header.

/// H.263 and Sorenson H.263.
package enum H263Codec: VideoCodec {
    package static let names: Set<String> = ["h263", "flv1"]
}
