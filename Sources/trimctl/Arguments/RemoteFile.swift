// RemoteFile: a URL where a file is wanted. trimctl and trimd open no connection: the worker that reads media has no network. A URL
// is refused with a command that fetches it first. Pure.
internal import Media

/// A URL of something that is not on this machine.
struct RemoteFile: Hashable, Sendable {
    /// As it was given.
    let url: String
    /// Its scheme in lower case, such as `https`.
    let scheme: String

    /// Nil if a word is no such URL. A path may hold `://` too, behind a folder: `./a://b`.
    init?(_ word: String) {
        guard let end = word.firstRange(of: "://")?.lowerBound else { return nil }
        let scheme = word[..<end].lowercased()
        let isScheme =
            scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard isScheme, scheme != "file" else { return nil }
        url = word
        self.scheme = scheme
    }

    /// The last name in its path, for the local file.
    var name: String {
        let path = url.prefix { $0 != "?" && $0 != "#" }.drop { $0 != ":" }.dropFirst(3)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, !last.isEmpty, last != ".", last != "..",
            !last.hasPrefix("-")
        else { return "video.mp4" }
        return String(last)
    }

    /// Whether a stream is behind it, which has no end or is a playlist of parts.
    private var isStream: Bool {
        switch scheme {
        case "rtmp", "rtmps", "rtmpt", "rtmpe", "rtsp", "rtsps", "rtp", "srt", "udp", "tcp", "mms", "mmsh",
            "hls":
            true
        default: ["m3u8", "mpd"].contains(name.split(separator: ".").last.map { $0.lowercased() } ?? "")
        }
    }

    /// The local file that `fetching` writes.
    var localName: String { isStream ? "stream.mkv" : name }

    /// A command that makes a local file of it; nil: unknown for this scheme.
    var fetching: String? {
        let quoted = RemoteFile.quoted(url)
        if isStream { return "ffmpeg -i \(quoted) -c copy stream.mkv" }
        switch scheme {
        case "http", "https", "ftp", "ftps", "sftp", "scp", "smb", "tftp":
            return url.hasSuffix("/" + name) || url.contains("/" + name + "?")
                || url.contains("/" + name + "#")
                ? "curl -fLO \(quoted)" : "curl -fL -o \(name) \(quoted)"
        case "s3": return "aws s3 cp \(quoted) \(RemoteFile.quoted(name))"
        case "gs": return "gcloud storage cp \(quoted) \(RemoteFile.quoted(name))"
        default: return nil
        }
    }

    /// The error where it is given as a file to read.
    /// - Parameter title: the command, such as `trimctl export`; nil: the file is an option's value.
    func refusal(of option: String, in title: String?) -> MediaError {
        let after = title.map { " && \($0) \(RemoteFile.quoted(localName))" } ?? ""
        return UsageError.of(
            "\(option): '\(url)' is a URL, and only files are read",
            remedy: fetching.map { "fetch it first: \($0)\(after)" }
                ?? "fetch it to a file first\(title.map { ", then: \($0) FILE" } ?? "")")
    }

    /// The error where it is given as a file to write.
    func outputRefusal(of option: String) -> MediaError {
        UsageError.of(
            "\(option): '\(url)' is a URL, and only files are written",
            remedy: "write to a file, and send that when the export is completed")
    }

    /// A word as a shell takes it.
    static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-._~/:@%+=,".contains($0))
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
            + "'"
    }
}
