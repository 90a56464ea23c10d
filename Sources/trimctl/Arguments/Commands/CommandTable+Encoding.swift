// The options of an export that change what its preset encodes, the same for every command that takes them.
internal import Media

extension Option {
    static let crf = Option(
        "crf", value: "N", .text,
        "The video's constant quality, on its encoder's own scale: 0 (best) to 51 for H.264 and HEVC, to 63 for AV1 and VP9",
        heading: .video)
    static let bitRate = Option(
        "bitrate", value: "RATE", .text,
        "The video's average bits a second, such as 5M or 800k, instead of a quality",
        heading: .video)
    static let size = Option(
        "size", value: "WxH", .text,
        "The box that frames must fit into, such as 1280x720, 720p or 720, instead of the preset's; it turns for portrait video and never enlarges",
        heading: .video)
    static let videoCodec = Option(
        "video-codec", value: "CODEC", .choice(VideoCodecChoice.allCases.map(\.rawValue)),
        "The video codec, instead of the preset's",
        heading: .video)
    static let audioBitRate = Option(
        "audio-bitrate", value: "RATE", .text,
        "Bits a second of each audio track, such as 128k, whatever its channels",
        heading: .audio)
    static let audioCodec = Option(
        "audio-codec", value: "CODEC", .choice(AudioCodecChoice.allCases.map(\.rawValue)),
        "The audio codec, instead of the preset's",
        heading: .audio)
    static let crop = Option(
        "crop", value: "W:H:X:Y", .text,
        "The part of the frame to keep, in pixels as a player shows them; W:H is its middle; it comes before rotation and resizing",
        heading: .video)
    static let rotate = Option(
        "rotate", value: "DEGREES", .text,
        "Turn the video clockwise by 90, 180 or 270, or right or left, after cropping and before resizing",
        heading: .video)
    static let deinterlace = Option(
        "deinterlace", value: "HOW", .choice(Deinterlacing.allCases.map(\.rawValue)),
        "The form of interlaced frames: one frame for two fields, as they are, or a frame for each field at twice the rate",
        standard: Deinterlacing.auto.rawValue,
        heading: .video)
    static let burnSubtitles = Option(
        "burn-subtitles", value: "TRACK|FILE", .inputFile,
        "Draw subtitles on the frames: a track by its number, language or use, of which the output has no track then; or a file of your own, \(RenderOptions.subtitleFileRule), with times of the source, in UTF-8, or UTF-16 with a byte order mark",
        heading: .video)
    static let speed = Option(
        "speed", value: "FACTOR", .text,
        "Play faster or slower, 0.5 to 4, with the pitch of the audio kept; all times stay times of the source",
        heading: .video)

    static let variant = Option(
        "variant", value: "WHICH", .text,
        "Of a playlist of several qualities: highest, lowest, its number in the list, or the size of its frames, such as 1280x720",
        standard: "highest", heading: .video)

    /// The options that change what a preset encodes, and what is read of a playlist.
    static let encoding: [Option] = [
        .crf, .bitRate, .size, .videoCodec, .audioBitRate, .audioCodec, .crop, .rotate, .deinterlace, .speed,
        .burnSubtitles, .variant,
    ]
}
