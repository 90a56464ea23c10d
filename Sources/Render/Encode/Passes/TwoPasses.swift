// Decides whether a plan's video is encoded in one pass or two, and keeps the statistics of the first pass, which serve any
// number of second passes: only the rate differs. A value used on the exporting thread.
internal import Libav
package import Media
package import MediaTime
internal import Source

/// The passes of an export.
package struct TwoPasses {
    private let requested: Bool?
    private var log: PassLog?
    /// There are statistics of a first pass.
    package var hasStatistics: Bool { log != nil }

    /// The passes that a request asks for.
    package init(_ options: ExportOptions) { requested = options.twoPass }

    /// Whether video is encoded in two passes.
    /// - Parameter isLimited: a size limit determines the rate.
    package func areUsed(for settings: VideoSettings, isLimited: Bool) -> Bool {
        guard VideoSettings.twoPassEncoders.contains(settings.encoder) else { return false }
        return (requested ?? settings.twoPass ?? isLimited) && (isLimited || settings.bitRate != nil)
    }

    /// Why an output with these rates cannot be made in chunks, which share its bits; nil: it can.
    package func obstacle(to plan: ExportPlan, _ limit: SizeLimit) -> String? {
        // libvpx meets the rates of chunks less well than that of a whole.
        if let video = plan.video, video.settings.encoder.hasPrefix("libvpx"),
            areUsed(for: video.settings, isLimited: limit.bytes != nil)
        {
            return "\(video.settings.encoder) meets the rates of chunks less well than that of the whole"
        }
        guard let video = plan.video, !video.isTwoPass, limit.bytes != nil, limit.canLower(plan),
            !areUsed(for: video.settings, isLimited: true)
        else { return nil }
        return requested == false
            ? "chunks share the bits of a size limit by a first pass"
            : "\(video.settings.encoder) has no first pass by which chunks could share the bits of a size limit"
    }

    /// Sets a plan to two passes, if it has them, without a pass of its own.
    package func mark(_ plan: inout ExportPlan, isLimited: Bool, length: Time?) {
        guard var video = plan.video, areUsed(for: video.settings, isLimited: isLimited) else { return }
        let frames = (length?.seconds ?? .infinity) * video.frameRate.value
        let bytes = frames * Double(PassLog.bytes(width: video.width, height: video.height))
        video.keepsBlocks = bytes < Double(PassLog.most)
        // VP9's quality and rate limit each other; elsewhere only the rate counts.
        if video.averageBitRate == nil, !video.settings.encoder.hasPrefix("libvpx") {
            video.averageBitRate = EncoderOptions.rates(for: video).average
        }
        video.isTwoPass = true
        plan.video = video
    }

    /// Runs the first pass, if needed and not done, and sets the plan to the second.
    package mutating func prepare(
        _ plan: inout ExportPlan, isLimited: Bool, length: Time?, by first: FirstPass, meter: ProgressMeter
    ) throws(MediaError) {
        mark(&plan, isLimited: isLimited, length: length)
        guard let video = plan.video, video.isTwoPass else { return }
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

    /// Discards the statistics.
    package mutating func forget() { log = nil }
}
