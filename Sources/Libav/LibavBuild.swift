// The builds of FFmpeg's libraries, and digests that FFmpeg computes.
internal import CFFmpeg

/// The FFmpeg build in use.
public enum LibavBuild {
    /// Everything loaded that the bytes of media depend on, encoders too: the same text means the same builds.
    public static var identity: String { "\(versions); \(LoadedLibrary.builds(LoadedLibrary.mapped))" }

    /// The kind of processor, as FFmpeg sees it: what its code is chosen by.
    public static var processor: String { "\(av_get_cpu_flags())" }

    /// Whether its decoder and its encoder of FLAC take samples of more than 24 bits.
    public static var codesDeepFLAC: Bool { trim_codes_deep_flac() != 0 }

    /// The version of the build, as `ffmpeg -version` names it.
    public static var version: String { unsafe text(av_version_info()) ?? "" }

    /// The versions of its libraries by their names, such as 59.37.100.
    public static var libraries: [String: String] {
        let numbers = [
            "libavcodec": avcodec_version(), "libavfilter": avfilter_version(),
            "libavformat": avformat_version(), "libavutil": avutil_version(),
            "libswresample": swresample_version(),
        ]
        return numbers.mapValues { "\($0 >> 16).\($0 >> 8 & 0xFF).\($0 & 0xFF)" }
    }

    /// The names of its encoders, in order.
    public static var encoders: [String] {
        var found: [String] = []
        var position: UnsafeMutableRawPointer?
        while let codec = unsafe av_codec_iterate(&position) {
            if unsafe av_codec_is_encoder(codec) != 0, let name = unsafe text(codec.pointee.name) {
                found.append(name)
            }
        }
        return found.sorted()
    }

    /// The versions of its libraries.
    static var versions: String {
        let numbers = [avcodec_version(), avformat_version(), avfilter_version(), avutil_version()]
        return version + numbers.map { " \($0)" }.joined()
    }
}

/// Digests of bytes.
public enum Digest {
    /// The SHA-256 digest in hexadecimal.
    public static func sha256(_ bytes: [UInt8]) throws(LibavError) -> String {
        guard let context = unsafe av_sha_alloc() else {
            throw LibavError("computing a digest", code: trim_averror(12))
        }
        defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
        try LibavError.check(unsafe av_sha_init(context, 256), "computing a digest")
        unsafe bytes.withUnsafeBufferPointer { unsafe av_sha_update(context, $0.baseAddress, $0.count) }
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe av_sha_final(context, &digest)
        return digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
