// How large an output may be, and what is tried so that it is not larger, and not much smaller either: the preset as it is, then
// average rates that leave room for everything else, then others, by what came out. Pure.
internal import Media
internal import MediaTime

/// The limit of an output's size, and the attempts to hold it.
struct SizeLimit {
    /// Rates of an attempt.
    struct Rates: Hashable {
        /// Average bits a second of the pictures.
        var video: Int
        /// The share of its own rate that the sound gets, up to 1.
        var sound: Double
    }
    /// Bytes of what an attempt made.
    struct Outcome: Hashable {
        /// All of it.
        var size: Int64
        /// What packets of pictures and of sound have of it.
        var video: Int64, sound: Int64

        /// For the log.
        var words: String { "\(size) bytes: \(video) of pictures, \(sound) of sound" }
    }
    /// What is to be done after an attempt.
    enum Verdict: Hashable {
        case done, again, impossible
    }

    /// Bytes the output may have at most; nil: any number.
    let bytes: Int64?
    /// The limit is the source's own size.
    private let isSources: Bool
    /// Of the present attempt; nil: as the preset says.
    private(set) var rates: Rates?
    /// How sound is encoded that would be taken over and takes too much of the limit; nil: it is not.
    private let encoding: AudioSettings?
    private var encodesSound = false

    private var attempts = 0
    private var overshoots = 0
    /// What fitted best so far.
    private var best: (rates: Rates, size: Int64)?
    private var last: Outcome?
    /// What came out of what was asked for, of pictures and of sound; and bytes of everything else.
    private var videoFactor = 1.0, soundFactor = 1.0
    private var rest: Double?
    /// Bits a second that the pictures need at their lowest rate; nil: nobody has looked at them.
    private var lowest: Double?

    /// The share of the limit that is aimed at, that is good enough, and that goes to the sound at most, beside pictures.
    private static let aim = 0.97, enough = 0.85, sound = 0.3
    private static let mostAttempts = 6
    /// An output that is likely to be so many times as large is not tried as the preset has it.
    private static let clearly = 1.5
    /// An attempt that is to be measured may grow beyond the limit by so much.
    private static let tolerance = 1.25

    /// The limit that a request asks for.
    /// - Parameter sound: the preset's.
    init(_ options: RenderOptions, source: Int64, sound: AudioSettings? = nil) {
        encoding = sound
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

    /// The rates, for the log.
    var words: String {
        guard let rates else { return "encoded as the preset says" }
        return "pictures at \(rates.video) bits a second, sound at \(Int(rates.sound * 100)) % of its rate"
    }

    /// Nothing was tried yet.
    var isFresh: Bool { attempts == 0 && rates == nil }

    /// Puts the rates of the present attempt into a plan.
    func apply(to plan: inout ExportPlan) {
        guard let bytes else { return }
        plan.limit = rates == nil ? bytes : Int64(Double(bytes) * SizeLimit.tolerance)
        // What is kept free and not needed counts too; where it is too little, the media moves, which is little here.
        if Double(plan.reserve) > Double(bytes) / 100 { plan.reserve = min(plan.reserve, 64) }
        guard let rates else { return }
        plan = converted(plan)
        plan.video?.averageBitRate = rates.video
        guard rates.sound < 1 else { return }
        plan.audio = plan.audio.map { audio in
            guard case .encode(var own) = audio else { return audio }
            own.settings = SizeLimit.lowered(own, by: rates.sound)
            return .encode(own)
        }
    }

    /// A plan whose sound is encoded where it is to be.
    private func converted(_ plan: ExportPlan) -> ExportPlan {
        guard encodesSound, let encoding else { return plan }
        var plan = plan
        plan.audio = plan.audio.map { audio in
            guard case .copy(let track) = audio, track.isDecodable else { return audio }
            return .encode(AudioPlan(track: track, settings: encoding))
        }
        return plan
    }

    /// Sound that is taken over is encoded where it would leave the pictures too little.
    private mutating func decideSound(_ plan: ExportPlan, _ length: Time?) {
        guard !encodesSound, encoding != nil, let bytes, let length else { return }
        let copied = plan.audio.reduce(0.0) {
            $0 + ($1.isCopied ? Double($1.bitRate) * length.seconds / 8 : 0)
        }
        let most = plan.video == nil ? SizeLimit.aim : SizeLimit.sound
        encodesSound = copied > Double(bytes) * most
        // What was measured was other sound.
        if encodesSound { soundFactor = 1 }
    }

    /// Bits a second of encoded sound, and the fewest it may have.
    private static func rates(of plan: AudioPlan) -> (whole: Int, least: Int) {
        let channels = min(plan.track.audio?.channels ?? 2, plan.settings.maxChannels)
        let rate = min(plan.track.audio?.sampleRate ?? 48_000, plan.settings.maxSampleRate)
        return (
            plan.settings.bitRate(channels: channels, sampleRate: rate),
            plan.settings.leastBitRate(channels: channels, sampleRate: rate)
        )
    }

    private static func lowered(_ plan: AudioPlan, by share: Double) -> AudioSettings {
        var settings = plan.settings
        let (whole, least) = rates(of: plan)
        guard whole > 0 else { return settings }
        let part = max(share, Double(least) / Double(whole))
        settings.surroundBitRate = settings.surroundBitRate.map { Int(Double($0) * part) }
        settings.bitRate = settings.bitRate.map { Int(Double($0) * part) }
        return settings
    }

    /// Chooses the first rates at once, where the preset's own quality is known not to fit.
    /// - Parameter leastOfPictures: bytes that the pictures need at their lowest rate.
    mutating func begin(
        _ plan: ExportPlan, length: Time?, estimate: SizeBand?, leastOfPictures: Double? = nil
    ) {
        if let leastOfPictures, let length, length > .zero { lowest = leastOfPictures * 8 / length.seconds }
        guard let bytes, rates == nil, attempts == 0, let estimate,
            estimate.low > bytes || Double(estimate.likely) > SizeLimit.clearly * Double(bytes),
            canLower(plan)
        else {
            return
        }
        decideSound(plan, length)
        rates = next(converted(plan), length)
    }

    private func canLower(_ plan: ExportPlan) -> Bool {
        guard !isSources, plan.smartTrim == nil else { return false }
        if let video = plan.video { return !VideoSettings.intraEncoders.contains(video.settings.encoder) }
        return encoding?.bitRate != nil || nominal(plan, Time(1, 1)).lossy > 0
    }

    /// Judges an attempt.
    /// - Parameter outcome: nil where it was stopped as it grew too large.
    mutating func judge(_ plan: ExportPlan, _ outcome: Outcome?, length: Time?) -> Verdict {
        guard let bytes else { return .done }
        if plan.smartTrim != nil { return outcome.map { $0.size <= bytes } ?? false ? .done : .impossible }
        defer { last = outcome }
        let fits = outcome.map { $0.size <= bytes } ?? false
        // As the preset says: it need not be larger.
        if rates == nil, fits { return .done }
        guard canLower(plan), let length, length > .zero else { return .impossible }
        attempts += 1
        if let outcome {
            measure(outcome, plan, length)
        } else if rates != nil {
            videoFactor *= SizeLimit.tolerance
        }
        if fits, let outcome, let rates {
            if outcome.size > best?.size ?? 0 { best = (rates, outcome.size) }
            let isEnough = Double(outcome.size) >= SizeLimit.enough * Double(bytes)
            if isEnough || attempts >= SizeLimit.mostAttempts || isSaturated(outcome) { return .done }
        } else {
            overshoots += 1
            if attempts >= SizeLimit.mostAttempts {
                // What fitted before is made again, where there is such.
                guard let best, rates != best.rates else { return .impossible }
                rates = best.rates
                return .again
            }
        }
        decideSound(plan, length)
        guard let chosen = next(converted(plan), length), chosen != rates else {
            return fits ? .done : .impossible
        }
        rates = chosen
        return .again
    }

    /// More was asked for than before, and hardly more came out: the film does not allow it.
    private func isSaturated(_ outcome: Outcome) -> Bool {
        guard let last, let bytes, last.size <= bytes else { return false }
        return Double(outcome.size) < Double(last.size) * 1.03
    }

    private mutating func measure(_ outcome: Outcome, _ plan: ExportPlan, _ length: Time) {
        let asked = nominal(plan, length)
        if let rates, plan.video != nil, rates.video > 0 {
            videoFactor = max(0.05, Double(outcome.video) * 8 / length.seconds / Double(rates.video))
        }
        if asked.lossy > 0 {
            // What is copied, or has no rate, is as large as it is.
            soundFactor = max(0.02, (Double(outcome.sound) - asked.fixed) / asked.lossy)
        }
        rest = Double(max(0, outcome.size - outcome.video - outcome.sound))
    }

    /// Bytes of the sound as a plan has it: of a rate that can be lowered, and of none.
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

    /// The rates of another attempt; nil where there are none that could fit.
    private func next(_ plan: ExportPlan, _ length: Time?) -> Rates? {
        guard let bytes, let length, length > .zero else { return nil }
        let share = rates?.sound ?? 1
        let sound = nominal(plan, length)
        // As the preset has it: the plan's own is lowered already.
        let whole = share > 0 ? sound.lossy / share * soundFactor : 0
        let others = rest ?? Double(IndexReserve.likely(plan, length: length))
        let aim = SizeLimit.aim - 0.02 * Double(overshoots)
        let room = Double(bytes) * aim - others - sound.fixed
        let leastShare = leastShare(plan, share)
        guard let video = plan.video else {
            let wanted = min(1, room / max(1, whole))
            return whole > 0 ? Rates(video: 0, sound: max(wanted, leastShare)) : nil
        }
        let least =
            lowest ?? Double(video.width * video.height) * video.frameRate.value
            * OutputEstimate.leastBitsPerPixel
        func beside(_ share: Double) -> Rates? {
            let bits = (room - whole * share) * 8 / length.seconds / videoFactor
            return bits >= max(least, 1000) ? Rates(video: Int(bits), sound: share) : nil
        }
        let part = whole > 0 ? min(1, max(leastShare, room * SizeLimit.sound / whole)) : 1
        // The lowest rates are tried before nothing is.
        return beside(part) ?? beside(leastShare) ?? Rates(video: Int(max(least, 1000)), sound: leastShare)
    }

    /// The smallest share of its rate that the sound may get.
    private func leastShare(_ plan: ExportPlan, _ share: Double) -> Double {
        var (least, whole) = (0.0, 0.0)
        for case .encode(let own) in plan.audio where own.settings.bitRate != nil {
            let rates = SizeLimit.rates(of: own)
            least += Double(min(rates.whole, rates.least))
            whole += Double(rates.whole) / max(share, 0.001)
        }
        return whole > 0 ? min(1, least / whole) : 1
    }
}
