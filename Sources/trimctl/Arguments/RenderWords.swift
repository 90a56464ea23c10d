// Parses the render options of a command line. Values are checked here, before a daemon is contacted.
internal import Media
internal import MediaTime

/// Parses the options of an export beyond its preset.
enum RenderWords {
    /// The given options; nil if there are none.
    /// - Parameter surroundings: paths are relative to their folder.
    static func options(_ arguments: Arguments, in surroundings: Surroundings) throws(MediaError)
        -> RenderOptions?
    {
        var options = RenderOptions()
        if let color = arguments.given(.background) {
            guard RenderOptions.isGround(color) else {
                throw UsageError.of(
                    "--background: '\(color)' is not a colour",
                    remedy: "write black, white, #rrggbb or refuse")
            }
            options.background = color
        }
        options.hdr = arguments.given(.hdr).flatMap(RenderOptions.HDRChoice.init(rawValue:))
        options.video = arguments.given(.video)
        options.audio = arguments.given(.audio)
        options.subtitles = arguments.given(.subtitles)
        if let text = arguments.given(.loudness) {
            guard let loudness = Double(text), -70 ... -5 ~= loudness else {
                throw UsageError.of(
                    "--loudness: '\(text)' is not a loudness from -70 to -5 LUFS",
                    remedy: "write -16 for the web, -23 for broadcasting")
            }
            options.loudness = loudness
        }
        if let text = arguments.given(.limitSize) {
            guard let bytes = bytes(text), bytes >= 1024 else {
                throw UsageError.of(
                    "--limit-size: '\(text)' is not a size of at least 1024 bytes",
                    remedy: "write bytes, or 25M, 25MB or 1.5G")
            }
            options.limitSize = bytes
        }
        if arguments.has(.twoPass) { options.twoPass = true }
        if arguments.has(.onePass) { options.twoPass = false }
        if arguments.has(.onlyIfSmaller) { options.onlyIfSmaller = true }
        if arguments.has(.optimize) { options.optimize = true }
        if arguments.has(.reproducible) { options.reproducible = true }
        try EncodingWords.read(arguments, into: &options)
        if let file = options.burnedFile { options.burnSubtitles = surroundings.absolute(file) }
        try options.check(arguments.given(.render).flatMap(RenderMode.init(rawValue:)) ?? .auto)
        return options == RenderOptions() ? nil : options
    }

    /// Parses a byte count: `2500000`, `25M` (10 to the power of 6), `25MiB` (2 to the power of 20).
    static func bytes(_ text: String) -> Int64? {
        let number = text.prefix { $0.isNumber || $0 == "." }
        let powers: [String: Double] = [
            "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "kib": 1024,
            "mib": 1_048_576, "gib": 1_073_741_824,
        ]
        guard let value = Double(number), let power = powers[text.dropFirst(number.count).lowercased()],
            value * power < 1e15
        else { return nil }
        return Int64(value * power)
    }
}
