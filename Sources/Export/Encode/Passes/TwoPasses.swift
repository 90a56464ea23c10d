// Whether the pictures of a plan are encoded in one pass or in two, and the statistics of the first one, which serve any number of
// second ones: only their rate differs. A value of the exporting thread.
internal import Libav
internal import Media
internal import MediaTime

/// The passes of an export.
struct TwoPasses {
    private let wish: Bool?
    private var log: PassLog?
    /// The second one failed: one is enough.
    private(set) var isOff = false

    /// What a request asks for.
    init(_ options: RenderOptions) { wish = options.twoPass }

    /// Whether pictures are encoded in two passes.
    /// - Parameter isLimited: their rate follows from a size.
    func areUsed(for settings: VideoSettings, isLimited: Bool) -> Bool {
        guard !isOff, VideoSettings.twoPassEncoders.contains(settings.encoder) else { return false }
        return (wish ?? settings.twoPass ?? isLimited) && (isLimited || settings.bitRate != nil)
    }

    /// Makes the first pass, where there is to be one and it is not done, and a plan the second.
    mutating func prepare(
        _ plan: inout ExportPlan, isLimited: Bool, length: Time?, by first: FirstPass, meter: ProgressMeter
    ) throws(MediaError) {
        guard var video = plan.video, areUsed(for: video.settings, isLimited: isLimited) else { return }
        let frames = (length?.seconds ?? .infinity) * video.frameRate.value
        let bytes = frames * Double(PassLog.bytes(width: video.width, height: video.height))
        video.keepsBlocks = bytes < Double(PassLog.most)
        // VP9's quality and rate bound each other; elsewhere the rate alone counts.
        if video.averageBitRate == nil, !video.settings.encoder.hasPrefix("libvpx") {
            video.averageBitRate = EncoderOptions.rates(for: video).average
        }
        plan.video = video
        let log: PassLog
        if let known = self.log {
            log = known
        } else {
            log = try media(.outOfMemory, track: video.track.index) { () throws(LibavError) in try PassLog() }
            try first.run(plan, log: log, meter: meter)
            self.log = log
        }
        plan.video?.pass = EncodingPass(log, isFirst: false)
    }

    /// Whether an export goes on with one pass after an error of the second.
    mutating func giveUp(_ plan: ExportPlan?, _ error: MediaError) -> Bool {
        guard !isOff, error.code == .encodeFailed, log != nil || plan?.video?.pass != nil else {
            return false
        }
        isOff = true
        log = nil
        return true
    }
}
