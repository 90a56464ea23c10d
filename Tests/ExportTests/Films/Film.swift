// Small films with one property each, made by ffmpeg. Each frame of testsrc2 differs from all others, and white noise matches
// itself at one position only, so that outputs can be identified.
import MediaTime
import Testing

/// How a film is made.
struct Film: CustomTestStringConvertible, Sendable {
    var name: String
    var type: String
    /// The arguments of ffmpeg, up to the output's name.
    var words: [String]
    /// One in so many frames is kept under a cap of 30.
    var every = 1
    var testDescription: String { name }

    /// Makes it in the scratch folder.
    func make(in scratch: Scratch) throws -> String {
        let file = scratch.name(type)
        try Tool.ffmpeg(words + [file])
        return file
    }

    /// A copy of a movie that is turned for display: by an option of ffmpeg since version 6, and by its muxer before.
    static func turned(_ film: String, by degrees: Int, in scratch: Scratch) throws -> String {
        let file = scratch.name("mp4")
        let ffmpeg = ["ffmpeg", "-nostdin", "-v", "quiet", "-y", "-display_rotation", "\(degrees)"]
        if try Tool.attempt(ffmpeg + ["-i", film, "-c", "copy", file]) == nil {
            try Tool.ffmpeg(["-i", film, "-c", "copy", "-metadata:s:v:0", "rotate=\(degrees)", file])
        }
        return file
    }

    /// Moving test video.
    static func video(
        _ rate: String = "25", size: String = "160x120", seconds: String = "3", filters: String = "null"
    ) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds),\(filters)"]
    }

    /// White noise.
    static func noise(_ rate: Int = 44_100, seconds: String = "3") -> [String] {
        ["-f", "lavfi", "-i", "anoisesrc=d=\(seconds):c=white:r=\(rate):a=0.5:seed=7"]
    }

    /// H.264 with B-frames and a keyframe a second or so.
    static func h264(_ more: String = "") -> [String] {
        [
            "-c:v", "libx264", "-preset", "veryfast", "-crf", "16", "-pix_fmt", "yuv420p", "-g", "30", "-bf",
            "3",
        ]
            + ["-x264-params", "scenecut=0" + (more.isEmpty ? "" : ":" + more)]
    }
}
