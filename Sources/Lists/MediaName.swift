// Names of media files that lists use as clip names. Pure.

/// Names of media files.
enum MediaName {
    /// Extensions of media files that editing programs put into clip names, in small letters.
    private static let extensions: Set<String> = [
        "3g2", "3gp", "aac", "ac3", "aif", "aiff", "ari", "avi", "braw", "caf", "cine", "crm", "dng", "dpx",
        "dv",
        "eac3", "exr", "f4v", "flac", "flv", "gif", "insv", "ivf", "jpeg", "jpg", "lrv", "m2t", "m2ts", "m2v",
        "m4a",
        "m4v", "mj2", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "mts", "mxf", "nut", "ogg",
        "ogv",
        "opus", "png", "qt", "r3d", "rm", "rmvb", "tif", "tiff", "tod", "ts", "vob", "wav", "webm", "wma",
        "wmv",
        "y4m",
    ]

    /// The name without the extension of a media file; a name with another dot in it stays whole.
    static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            extensions.contains(name[name.index(after: dot)...].lowercased())
        else { return name }
        return String(name[..<dot])
    }
}
