// Faults of the ffmpeg that tests ask, by its version, and how it says the truth all the same.
import Libav

/// What the ffmpeg of this machine does wrong.
enum FFmpegFaults {
    /// Whether it is newer than version 5.1.
    static let isNewer: Bool = {
        let version = LibavBuild.libraries["libavcodec"]?.split(separator: ".").first ?? ""
        return (Int(version) ?? 0) > 59
    }()

    /// Options before the input: its own decoder of Speex returns samples twice in version 7.1.
    static func decoder(of file: String, _ rate: Int) -> [String] {
        rate == 16_000 && ["ogg", "spx"].contains { file.hasSuffix($0) } ? ["-c:a", "libspeex"] : []
    }

    /// Options before the input: of HE-AAC version 7.1 skips as many of the output's samples as the movie says of the codec's own rate,
    /// half as many as it has to. Without the edit list it skips none.
    static let unskippedHEAAC = isNewer ? ["-ignore_editlist", "1"] : []
}
