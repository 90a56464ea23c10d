// The maximum size of an output, and how it is met without falling far below it: first the preset unchanged, then average rates
// that leave room for everything else, then rates corrected by the measured results. Pure.
package import Media
package import MediaTime

/// The size limit of an output, and the attempts to meet it.
package struct SizeLimit: Codable {
    /// Rates of an attempt.
    package struct Rates: Hashable, Codable {
        /// Average bits per second of the video.
        package var video: Int
        /// The fraction of its own rate that the audio gets, up to 1.
        var audio: Double
    }
    /// Output bytes of an attempt.
    package struct Outcome: Hashable, Codable {
        /// The whole file.
        package var size: Int64
        /// Bytes of video and of audio packets.
        var video: Int64, audio: Int64

        /// For the log.
        package var words: String { "\(size) bytes: \(video) of video, \(audio) of audio" }
    }
    /// An attempt within the limit.
    private struct Best: Hashable, Codable {
        var rates: Rates
        var size: Int64
    }
    /// The next step after an attempt.
    package enum Decision: Hashable {
        case done, again, impossible
    }

    /// Maximum size of the output in bytes; nil: unlimited.
    package let bytes: Int64?
    /// The limit is the source's own size.
    private let isSources: Bool
    /// Of the current attempt; nil: the preset's.
    package private(set) var rates: Rates?
    /// How audio is encoded if copying it would take too much of the limit; nil: it is not encoded.
    private let encoding: AudioSettings?
    private var encodesAudio = false

    private var attempts = 0
    private var overshoots = 0
    /// The best attempt within the limit so far.
    private var best: Best?
    private var last: Outcome?
    /// The rates that the encoder makes of those it is asked for.
    private var curve = RateCurve()
    /// Ratio of actual to requested rate of the audio; and bytes of everything else.
    private var audioFactor = 1.0
    private var rest: Double?
    /// Bits per second that the video needs at its lowest rate; nil: not measured.
    private var lowest: Double?
    /// The first rates were considered.
    private var hasBegun = false
    /// How many times the limit the output probably has at the preset's quality; at least 1.
    private(set) var excess = 1.0

    /// Fractions of the limit: the target, the least acceptable size, and the maximum for audio next to video.
    private static let aim = 0.97, enough = 0.85, audioShare = 0.3
    /// Further ones are made only while none has met the limit, each with a quarter of the rates.
    private static let mostAttempts = 6
    /// An output likely to exceed the limit by this factor is not tried with the preset unchanged.
    private static let clearly = 1.5
    /// An attempt that is measured may exceed the limit by this factor.
    private static let tolerance = 1.25

    /// The limit of a request.
    /// - Parameter audio: the preset's.
    package init(_ options: ExportOptions, source: Int64, audio: AudioSettings? = nil) {
        encoding = audio
        let smaller = options.onlyIfSmaller == true ? source - 1 : nil
        bytes = [options.limitSize, smaller].compactMap(\.self).min()
        isSources = smaller != nil && bytes == smaller
    }

    /// Why there is no output: it would be too large.
    package func error(_ plan: ExportPlan?, length: Time?) -> MediaError {
        if isSources {
            return MediaError(
                .maximumFileSizeReached,
                "the output would not be smaller than the source (\((bytes ?? 0) + 1) bytes)",
                remedy: "leave out --only-if-smaller, or choose a preset of a lower rate")
        }
        let how = plan?.smartTrim == nil ? ", however low its rate" : " as it is stored"
        return MediaError(
            .maximumFileSizeReached, "the output does not fit \(bytes ?? 0) bytes\(how)",
            remedy: SizeLimit.remedy)
    }

    /// For outputs that do not fit.
    package static let remedy = "choose a shorter range, a smaller preset, or a larger --limit-size"

    /// The rates, for the log.
    package var words: String {
        guard let rates else { return "encoded as the preset says" }
        return "video at \(rates.video) bit/s, audio at \(Int(rates.audio * 100)) % of its rate"
    }

    /// Nothing was considered or tried yet.
    package var isFresh: Bool { attempts == 0 && rates == nil && !hasBegun }
    /// No attempt has been evaluated.
    package var isUntried: Bool { attempts == 0 }

    /// Applies the rates of the current attempt to a plan.
    package func apply(to plan: inout ExportPlan) {
        guard let bytes else { return }
        plan.limit = rates == nil ? bytes : Int64(Double(bytes) * SizeLimit.tolerance)
        // Unused reserved bytes count too; where the reserve is too small, the media moves, which costs little here.
        if Double(plan.reserve) > Double(bytes) / 100 { plan.reserve = min(plan.reserve, 64) }
        guard let rates else { return }
        plan = converted(plan)
        plan.video?.averageBitRate = rates.video
        guard rates.audio < 1 else { return }
        plan.audio = plan.audio.map { audio in
            guard case .encode(var own) = audio else { return audio }
            own.settings = own.lowered(by: rates.audio)
            return .encode(own)
        }
    }

    /// The plan, with audio encoded where required.
    private func converted(_ plan: ExportPlan) -> ExportPlan {
        guard encodesAudio, let encoding else { return plan }
        var plan = plan
        plan.audio = plan.audio.map { audio in
            guard case .copy(let track) = audio, track.isDecodable else { return audio }
            return .encode(AudioPlan(track: track, settings: encoding))
        }
        return plan
    }

    /// Copied audio is encoded where it would leave the video too little.
    private mutating func decideAudio(_ plan: ExportPlan, _ length: Time?) {
        guard !encodesAudio, encoding != nil, let bytes, let length else { return }
        let copied = plan.audio.reduce(0.0) {
            $0 + ($1.isCopied ? Double($1.bitRate) * length.seconds / 8 : 0)
        }
        let most = plan.video == nil ? SizeLimit.aim : SizeLimit.audioShare
        encodesAudio = copied > Double(bytes) * most
        // The measurement was for other audio.
        if encodesAudio { audioFactor = 1 }
    }

    /// Chooses the first rates at once, where the preset's quality is known not to fit.
    /// - Parameter leastVideo: bytes that the video needs at its lowest rate.
    package mutating func begin(
        _ plan: ExportPlan, length: Time?, estimate: SizeBand?, leastVideo: Double? = nil
    ) {
        hasBegun = true
        if let bytes, bytes > 0, let estimate { excess = max(1, Double(estimate.likely) / Double(bytes)) }
        if let leastVideo, let length, length > .zero { lowest = leastVideo * 8 / length.seconds }
        guard let bytes, rates == nil, attempts == 0, let estimate,
            estimate.low > bytes || Double(estimate.likely) > SizeLimit.clearly * Double(bytes),
            canLower(plan)
        else {
            return
        }
        decideAudio(plan, length)
        rates = next(converted(plan), length)
    }

    /// Whether rates can be lowered to meet the limit.
    func canLower(_ plan: ExportPlan) -> Bool {
        guard !isSources, plan.smartTrim == nil else { return false }
        if let video = plan.video { return !VideoSettings.intraEncoders.contains(video.settings.encoder) }
        return encoding?.bitRate != nil || nominal(plan, Time(1, 1)).lossy > 0
    }

    /// Evaluates an attempt.
    /// - Parameter outcome: nil if it was stopped because it grew too large.
    package mutating func decide(_ plan: ExportPlan, _ outcome: Outcome?, length: Time?) -> Decision {
        guard let bytes else { return .done }
        if plan.smartTrim != nil { return outcome.map { $0.size <= bytes } ?? false ? .done : .impossible }
        defer { last = outcome }
        let fits = outcome.map { $0.size <= bytes } ?? false
        // At the preset's quality it need not be larger.
        if rates == nil, fits { return .done }
        guard canLower(plan), let length, length > .zero else { return .impossible }
        attempts += 1
        if let outcome {
            measure(outcome, plan, length)
        } else if rates != nil {
            curve.exceed(by: SizeLimit.tolerance)
        }
        if fits, let outcome, let rates {
            if outcome.size > best?.size ?? 0 { best = Best(rates: rates, size: outcome.size) }
            let isEnough = Double(outcome.size) >= SizeLimit.enough * Double(bytes)
            if isEnough || attempts >= SizeLimit.mostAttempts || isSaturated(outcome) { return .done }
        } else {
            overshoots += 1
            if attempts >= SizeLimit.mostAttempts, let repeated = best?.rates, rates != repeated {
                // The earlier attempt that met the limit is repeated, once.
                (rates, best) = (repeated, nil)
                return .again
            }
        }
        decideAudio(plan, length)
        let plan = converted(plan)
        guard var chosen = next(plan, length) else { return fits ? .done : .impossible }
        if attempts >= SizeLimit.mostAttempts, !fits { chosen = quartered(chosen, plan) }
        guard chosen != rates else { return fits ? .done : .impossible }
        rates = chosen
        return .again
    }

    /// Rates of at most a quarter of the current ones, down to the lowest: with several threads or a decoder's buffer to keep, an
    /// encoder may exceed each rate that is corrected by its last result.
    private func quartered(_ chosen: Rates, _ plan: ExportPlan) -> Rates {
        guard let rates else { return chosen }
        let least = plan.video.map { max(lowest ?? leastRate($0), 1000) } ?? 0
        return Rates(
            video: min(chosen.video, max(rates.video / 4, Int(least))),
            audio: min(chosen.audio, max(rates.audio / 4, leastShare(plan, rates.audio))))
    }

    /// Bits per second of the lowest watchable quality.
    private func leastRate(_ video: VideoPlan) -> Double {
        Double(video.width * video.height) * video.frameRate.value * OutputEstimate.leastBitsPerPixel
    }

    /// Counts an attempt that was too large, and after which only its largest parts are made again.
    /// - Returns: false if there may be no other attempt.
    mutating func countOvershoot(_ outcome: Outcome) -> Bool {
        guard attempts + 1 < SizeLimit.mostAttempts else { return false }
        attempts += 1
        overshoots += 1
        last = outcome
        return true
    }

    /// A higher rate hardly increased the size: the content does not need more.
    private func isSaturated(_ outcome: Outcome) -> Bool {
        guard let last, let bytes, last.size <= bytes else { return false }
        return Double(outcome.size) < Double(last.size) * 1.03
    }

    private mutating func measure(_ outcome: Outcome, _ plan: ExportPlan, _ length: Time) {
        let asked = nominal(plan, length)
        if let rates, plan.video != nil, rates.video > 0 {
            curve.add(asked: Double(rates.video), made: Double(outcome.video) * 8 / length.seconds)
        }
        if asked.lossy > 0 {
            // Copied audio, and audio without a rate, has a fixed size.
            audioFactor = max(0.02, (Double(outcome.audio) - asked.fixed) / asked.lossy)
        }
        rest = Double(max(0, outcome.size - outcome.video - outcome.audio))
    }

    /// Bytes of the plan's audio: with a rate that can be lowered, and fixed.
    private func nominal(_ plan: ExportPlan, _ length: Time) -> (lossy: Double, fixed: Double) {
        plan.audio.reduce(into: (0, 0)) { sum, audio in
            let bytes = Double(audio.bitRate) * length.seconds / 8
            if case .encode(let own) = audio, own.settings.bitRate != nil {
                sum.0 += bytes
            } else {
                sum.1 += bytes
            }
        }
    }

    /// The rates of another attempt; nil if none could fit.
    private func next(_ plan: ExportPlan, _ length: Time?) -> Rates? {
        guard let bytes, let length, length > .zero else { return nil }
        let share = rates?.audio ?? 1
        let audio = nominal(plan, length)
        // At the preset's rate: the plan's rate is already lowered.
        let whole = share > 0 ? audio.lossy / share * audioFactor : 0
        let others = rest ?? Double(IndexReserve.likely(plan, length: length))
        let aim = SizeLimit.aim - 0.02 * Double(overshoots)
        let room = Double(bytes) * aim - others - audio.fixed
        let leastShare = leastShare(plan, share)
        guard let video = plan.video else {
            let wanted = min(1, room / max(1, whole))
            return whole > 0 ? Rates(video: 0, audio: max(wanted, leastShare)) : nil
        }
        let least = lowest ?? leastRate(video)
        func beside(_ share: Double) -> Rates? {
            let rate = curve.rate(for: (room - whole * share) * 8 / length.seconds)
            return rate >= max(least, 1000) ? Rates(video: Int(rate), audio: share) : nil
        }
        let part = whole > 0 ? min(1, max(leastShare, room * SizeLimit.audioShare / whole)) : 1
        // The lowest rates are tried before giving up.
        return beside(part) ?? beside(leastShare) ?? Rates(video: Int(max(least, 1000)), audio: leastShare)
    }

    /// The smallest fraction of its rate that the audio may get.
    private func leastShare(_ plan: ExportPlan, _ share: Double) -> Double {
        var (least, whole) = (0.0, 0.0)
        for case .encode(let own) in plan.audio where own.settings.bitRate != nil {
            let rates = own.rates
            least += Double(min(rates.whole, rates.least))
            whole += Double(rates.whole) / max(share, 0.001)
        }
        return whole > 0 ? min(1, least / whole) : 1
    }
}
