// Head and tail of VP9: libvpx.
internal import Codecs
internal import Libav
internal import Media

extension VP9Codec: HeadTailCodec {
    static let keyframesHaveSizes = true

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = try headTail.libvpx("libvpx-vp9")
        setup.options.append(("row-mt", "1"))
        return HeadTailJoin(setup: setup)
    }
}
