// The first of two passes: the pictures of a plan are decoded and encoded once, for what the encoder learns of them. Nothing is
// written. Runs on the exporting thread; the lane runs on queues of its own.
internal import Libav
internal import Media
internal import MediaTime

/// A first pass over a plan's pictures.
struct FirstPass {
    let source: SourceFile
    let strict: Bool

    /// The share of the work that it is: encoders work faster where nothing is to be shown.
    static let share = 0.4

    /// Fills the log of a plan whose pictures are in their first pass.
    func run(_ plan: ExportPlan, log: PassLog, meter: ProgressMeter) throws(MediaError) {
        guard var video = plan.video else { return }
        video.pass = EncodingPass(log, isFirst: true)
        // The second pass says what there is to say of the source.
        let lane = VideoLane(video, of: plan, source: source, strict: strict, diagnostics: Diagnostics())
        lane.start()
        do throws(MediaError) {
            guard try lane.opening.receive() != nil else { return }
            meter.enter(.exporting, upTo: FirstPass.share)
            while let sign = try lane.packets.receive() {
                meter.reached(video.timebase.time(ofTicks: (sign.pts ?? 0) + sign.duration), of: 0)
            }
        } catch {
            lane.abandon()
            throw error
        }
        guard log.isComplete else {
            throw MediaError(
                .encodeFailed, "the first pass left no statistics", track: video.track.index,
                remedy: "encode in one pass: --one-pass")
        }
        meter.ended(0)
    }
}
