// Which tracks the options of an export change, so that they are encoded, and which options contradict each other or the render
// mode. Pure.
internal import MediaTime

extension RenderOptions {
    /// The first option that changes frames, by its name; nil: none does.
    public var videoChange: String? {
        let given: [(OptionSpelling, Bool)] = [
            (.videoCodec, videoCodec != nil), (.crf, crf != nil), (.bitrate, bitRate != nil),
            (.size, size != nil), (.crop, crop != nil), (.rotate, rotate != nil),
            (.burnSubtitles, burnSubtitles != nil), (.deinterlace, deinterlace != nil),
            (.speed, speed != nil), (.fps, frameRate != nil),
        ]
        return given.first(where: \.1)?.0.rawValue
    }

    /// The first option that changes audio, by its name; nil: none does.
    public var audioChange: String? {
        let given: [(OptionSpelling, Bool)] = [
            (.audioCodec, audioCodec != nil), (.audioBitRate, audioBitRate != nil), (.speed, speed != nil),
        ]
        return given.first(where: \.1)?.0.rawValue ?? (loudness == nil ? nil : "loudness")
    }

    /// Throws where options contradict each other, or the render mode; whatever the preset and the asset.
    public func check(_ render: RenderMode) throws(MediaError) {
        func contradiction(_ message: String, _ remedy: String) -> MediaError {
            MediaError(.invalidRequest, message, remedy: remedy)
        }
        if crf != nil, bitRate != nil {
            throw contradiction(
                "a quality (crf) and an average rate (bitrate) exclude each other", "give one of them")
        }
        if let video, let audio, TrackChoice(video) == TrackChoice.none,
            TrackChoice(audio) == TrackChoice.none
        {
            throw contradiction(
                "neither video nor audio is to be exported", "leave out --video none or --audio none")
        }
        if deinterlace == .field, frameRate != nil {
            throw contradiction(
                "a frame for each field and a constant frame rate (fps) exclude each other",
                "give one of them")
        }
        let copies = "--render \(render.rawValue) takes samples as they are stored"
        let remedy = "leave out --render, or the option"
        if render == .copy || render == .smart, let option = videoChange {
            throw contradiction("\(copies), and --\(option) changes the video", remedy)
        }
        if render == .copy, let option = audioChange {
            throw contradiction("\(copies), and --\(option) changes the audio", remedy)
        }
    }
}
