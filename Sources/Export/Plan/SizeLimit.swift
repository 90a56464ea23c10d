// How large an output may be, and what is tried so that it is not larger: the preset as it is, then an average rate that
// leaves room for everything else, then less, in proportion to what came out. Pure.
internal import Media
internal import MediaTime

/// The limit of an output's size, and the attempts to hold it.
struct SizeLimit {
    /// Bytes the output may have at most; nil: any number.
    let bytes: Int64?
    /// The limit is the source's own size.
    private let isSources: Bool
    /// Average bits a second the pictures get in the present attempt; nil: as the preset says.
    private(set) var videoRate: Int?
    private var attempts = 0

    /// Fewer bits than these a second for a picture are not worth looking at: a hundredth of a bit a pixel.
    private static let leastPerPixel = 0.004
    private static let mostAttempts = 5

    /// The limit that a request asks for.
    init(_ options: RenderOptions, source: Int64) {
        let smaller = options.onlyIfSmaller == true ? source - 1 : nil
        bytes = [options.limitSize, smaller].compactMap(\.self).min()
        isSources = smaller != nil && bytes == smaller
    }

    /// Why there is no output: it would be too large.
    func error(_ plan: ExportPlan?, length: Time?) -> MediaError {
        if isSources {
            return MediaError(
                .maximumFileSizeReached,
                "the output would not be smaller than the source (\((bytes ?? 0) + 1) bytes)",
                remedy: "leave out --only-if-smaller, or choose a preset of a lower rate")
        }
        return MediaError(
            .maximumFileSizeReached,
            "the output does not fit \(bytes ?? 0) bytes, however low its rate",
            remedy: "choose a shorter range, a smaller preset, or a larger --limit-size")
    }

    /// Another attempt after one that was too large.
    /// - Parameters:
    ///   - made: bytes that came out; nil where it was stopped as it grew too large.
    /// - Returns: false where there is nothing left to try.
    mutating func lower(_ plan: ExportPlan, made: Int64?, length: Time?) -> Bool {
        guard let bytes, !isSources, let length, length > .zero, let video = plan.video,
            !VideoSettings.intraEncoders.contains(video.settings.encoder), attempts < SizeLimit.mostAttempts
        else { return false }
        attempts += 1
        let seconds = length.seconds
        let least = Int(Double(video.width * video.height) * video.frameRate.value * SizeLimit.leastPerPixel)
        let rate: Int
        if let last = videoRate {
            // Short films overshoot most: a first picture costs what it costs.
            let share = made.map { min(0.9, Double(bytes) / Double($0) * 0.95) } ?? 0.7
            rate = Int(Double(last) * share)
        } else {
            let sound = plan.audio.reduce(0.0) { $0 + Double($1.bitRate) * seconds / 8 }
            let index = Double(IndexReserve.bytes(plan, length: length))
            rate = Int((Double(bytes) * 0.97 - sound - index) * 8 / seconds)
        }
        guard rate >= max(least, 1000) else { return false }
        videoRate = rate
        return true
    }
}
