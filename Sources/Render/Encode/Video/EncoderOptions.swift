// Maps a preset to the options of each video encoder, so that it means the same for all: quality, speed, profile and level,
// closed GOPs, HDR light levels. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// Options of video encoders.
enum EncoderOptions {
    /// The options of a plan's encoder.
    /// - Parameters:
    ///   - threads: 1: the encoder must have a single thread; otherwise it may choose.
    ///   - isPart: its stream is joined with others.
    static func options(
        for plan: VideoPlan, light: LightLevels, threads: Int? = nil, isPart: Bool = false
    ) -> [(String, String)] {
        let settings = plan.settings
        var options: [(String, String)] = []
        var own = settings.options ?? [:]
        func add(_ name: String, _ value: String?) {
            guard let value, own[name] == nil else { return }
            options.append((name, value))
        }
        /// Parameters that the encoder takes as one option; the preset's own come last and take precedence.
        func add(_ name: String, joined parameters: [(String, String)]) {
            let mine = parameters.map { "\($0.0)=\($0.1)" }
            let all = mine + [own.removeValue(forKey: name)].compactMap(\.self)
            if !all.isEmpty { options.append((name, all.joined(separator: ":"))) }
        }
        add("profile", settings.profile)
        // A requested average takes precedence over quality.
        if plan.averageBitRate == nil { add("crf", settings.crf.map { "\($0)" }) }
        switch settings.encoder {
        case "libx264":
            add("preset", settings.speed)
            add("level", plan.level?.name)
            add("forced-idr", "1")
            if !plan.keepsBlocks { add("mbtree", "0") }
            // A second pass would choose its parameter sets by the frames.
            if isPart, plan.isTwoPass { add("x264-params", joined: [("stitchable", "1")]) }
        case "libx265":
            add("preset", settings.speed)
            add("forced-idr", "1")
            var parameters = [("log-level", "error"), ("open-gop", "0"), ("info", "0")]
            if let level = plan.level {
                parameters.append(("level-idc", level.name))
                parameters.append(("high-tier", tier(plan) == "high" ? "1" : "0"))
            }
            if !plan.keepsBlocks { parameters.append(("cutree", "0")) }
            if threads == 1 { parameters += [("pools", "none"), ("frame-threads", "1")] }
            add("x265-params", joined: parameters + light.x265)
        case "libsvtav1":
            add("preset", settings.speed)
            add("svtav1-params", joined: light.svt + (threads == 1 ? [("lp", "1")] : []))
        case "libvpx-vp9", "libaom-av1":
            add("cpu-used", settings.speed)
            // Non-shown frames cannot carry alpha.
            if plan.keepsAlpha { add("auto-alt-ref", "0") }
        default: break
        }
        return options + own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The tier of an HEVC stream: high only where its level has one.
    private static func tier(_ plan: VideoPlan) -> String {
        plan.settings.tier == "high" && plan.level?.hasHighTier == true ? "high" : "main"
    }

    /// Average and maximum bit rate and buffer size of a plan; 0 if not set. The level sets values that the preset leaves
    /// open.
    static func rates(for plan: VideoPlan) -> (average: Int, highest: Int, buffer: Int) {
        let rates = wantedRates(for: plan)
        // SVT-AV1 bounds a rate beside a quality alone, and since version 2 refuses to beside an average.
        guard plan.settings.encoder == "libsvtav1", rates.average > 0 else { return rates }
        return (rates.average, 0, 0)
    }

    private static func wantedRates(for plan: VideoPlan) -> (average: Int, highest: Int, buffer: Int) {
        let settings = plan.settings
        // A first pass at a quality compares frames: nothing may bound some of them.
        if let pass = plan.pass, pass.isFirst, plan.averageBitRate == nil, settings.bitRate == nil {
            return (0, 0, 0)
        }
        if let average = plan.averageBitRate {
            // A second pass knows where bits are needed; a single pass stays near the average.
            if plan.isTwoPass {
                guard let highest = settings.maxBitRate else { return (average, 0, 0) }
                return (min(average, highest), highest, settings.bufferSize ?? highest)
            }
            let most = [settings.maxBitRate, average * 3 / 2].compactMap(\.self).min() ?? average
            return (average, max(most, average), max(most, average))
        }
        let average = settings.bitRate.map { Int(Double($0) * share(of: plan)) } ?? 0
        if let highest = settings.maxBitRate { return (average, highest, settings.bufferSize ?? highest) }
        guard let level = plan.level else { return (average, 0, 0) }
        let most = level.bitRate(profile: settings.profile, tier: tier(plan))
        return (average, most, most)
    }

    /// A preset's average is for video that fills its box at its rate. Bits grow more slowly than pixels: published rates for
    /// 320x240, 848x480 and 1280x720 (768, 3000 and 5000 kbit/s) follow roughly the power 3/4.
    private static func share(of plan: VideoPlan) -> Double {
        guard let width = plan.settings.maxWidth, let height = plan.settings.maxHeight else { return 1 }
        let most = Double(width * height) * (plan.settings.maxFrameRate?.value ?? 30)
        let part =
            Double(plan.width * plan.height)
            * min(plan.frameRate.value, plan.settings.maxFrameRate?.value ?? 30)
        let x = min(1, max(0.001, part / most))
        return (x * x.squareRoot()).squareRoot()
    }
}
