// The first of two passes: decodes and encodes the frames of a plan once to collect encoder statistics. Writes no output. Runs on
// the exporting thread; the lane runs on its own queues.
package import Libav
internal import Media
internal import MediaTime
internal import Source

/// A first pass over the frames of a plan.
package struct FirstPass {
    let source: SourceFile
    let strict: Bool

    /// Creates a value of its parts.
    package init(source: SourceFile, strict: Bool) {
        (self.source, self.strict) = (source, strict)
    }

    /// Its share of the work: encoders run faster when nothing is output.
    static let share = 0.4

    /// Fills the log of a plan whose video is in its first pass.
    func run(_ plan: ExportPlan, log: PassLog, meter: ProgressMeter) throws(MediaError) {
        guard var video = plan.video else { return }
        video.pass = EncodingPass(log, isFirst: true)
        // The second pass reports warnings about the source.
        let lane = VideoLane(video, of: plan, source: source, strict: strict, diagnostics: Diagnostics())
        lane.start()
        do throws(AttemptFailure) {
            guard try lane.opening.receive() != nil else { return }
            meter.enter(.exporting, upTo: FirstPass.share)
            while let packet = try lane.packets.receive() {
                meter.reached(video.timebase.time(ofTicks: (packet.pts ?? 0) + packet.duration), of: 0)
            }
        } catch {
            lane.abandon()
            throw error.error
        }
        guard log.isComplete else {
            throw MediaError(
                .encodeFailed, "the first pass left no statistics", track: video.track.index,
                remedy: "encode in one pass: --one-pass")
        }
        meter.ended(0)
    }
}
