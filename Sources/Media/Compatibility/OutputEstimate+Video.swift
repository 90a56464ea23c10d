// Estimates the size of the output's video from the complexity of a few frames. Pure.
internal import Glibc
internal import MediaTime

extension OutputEstimate {
    /// Copied frames plus encoded head and tail, which are encoded at high quality: as large as the frames they replace, or, if
    /// the source was coarse, as their complexity requires.
    func joined(_ track: Track, _ format: VideoFormat) -> Band {
        var band = stored(track)
        let frames = max(1, seconds(of: track) * (format.frameRate?.value ?? 30))
        let share = min(1, Double(findings.headTailFrames) / frames)
        // The range's first group of pictures is counted in full, but the part before the range is not copied.
        band.low *= 0.85 * (1 - 0.4 * share)
        if let blank = findings.complexity?.blank, blank > 0 {
            band.low *= max(0, 1 - blank / max(0.001, self.seconds))
        }
        band.high *= 1 + 0.5 * share
        if let complexity = findings.complexity, share > 0 {
            let encoder = track.codec == "hevc" ? "libx265" : "libx264"
            let bits = bits(
                encoder, crf: 16, complexity, pixels: Double(format.width * format.height),
                frames: Double(findings.headTailFrames), keys: max(1, Double(findings.headTailFrames) / 48))
            band.high = max(band.high, bits / 8 + band.likely * (1 - share))
        }
        return band
    }

    /// FFmpeg's encoders compared at the same quality value, as natural logarithms.
    private static let encoders = [
        "libx264": 2.80, "libx265": 2.66, "libvpx-vp9": 3.40, "libsvtav1": 3.638,
    ]
    /// Change of bits per quality step, as natural logarithm.
    private static let step = 0.1155

    /// Bits of frames encoded at a quality.
    private func bits(
        _ encoder: String, crf: Double, _ complexity: Complexity, pixels: Double, frames: Double, keys: Double
    ) -> Double {
        let base = (complexity.intra * keys + complexity.inter * max(0, frames - keys)) / max(1, frames)
        return pixels * frames
            * exp(
                (OutputEstimate.encoders[encoder] ?? 3) - OutputEstimate.step * crf
                    + 1.101 * log(max(1e-6, base)) - 0.499 * log(pixels / complexity.pixels))
    }

    func encodedVideo(_ output: OutputVideo, _ range: Double) -> Band? {
        let settings = output.settings
        let seconds = min(range, self.seconds - (findings.complexity?.blank ?? 0))
        guard seconds > 0 else { return Band() }
        let pixels = Double(output.width * output.height)
        let frames = max(1, seconds * output.rate.value)
        // 256 colours, of which dithering leaves little to compress: 2 to 5 bits a pixel in most films.
        if settings.encoder == "gif" { return Band(2.8 * pixels * frames / 8, 0.1, 2.5) }
        if VideoSettings.intraEncoders.contains(settings.encoder) {
            let isFull = settings.pixelFormat.contains("444")
            guard let complexity = findings.complexity else {
                // Bits per pixel of ProRes 422; twice the chroma adds half.
                return Band((isFull ? 3.6 : 2.3) * pixels * frames / 8, 0.22, 2.6)
            }
            let bits = exp(
                (isFull ? 1.946 : 1.313) + 0.68 * log(max(1e-6, complexity.intra))
                    - 0.165 * log(pixels / complexity.pixels))
            return Band(bits * pixels * frames / 8, 0.4, 2)
        }
        let most = settings.maxBitRate.map { (Double($0) * seconds + Double(settings.bufferSize ?? 0)) / 8 }
        let keys = min(frames, (seconds / settings.keyframeInterval.value).rounded(.up))
        func bytes(crf: Double) -> Double? {
            guard let complexity = findings.complexity, OutputEstimate.encoders[settings.encoder] != nil
            else { return nil }
            return bits(
                settings.encoder, crf: crf, complexity, pixels: pixels, frames: frames, keys: keys) / 8
        }
        var band: Band?
        if let own = settings.crf.flatMap(bytes) { band = Band(own, 0.38, 2.4) }
        if let average = settings.bitRate {
            let full = Double((settings.maxWidth ?? 0) * (settings.maxHeight ?? 0))
            let share =
                full > 0
                ? min(1, pixels * output.rate.value / full / (settings.maxFrameRate?.value ?? 30)) : 1
            let whole = Double(average) * (share * share.squareRoot()).squareRoot() / 8
            var bound = Band(whole * seconds, 0.25, 1.2)
            bound.likely *= 0.85
            // The first frame has a fixed cost, and there is a highest quality.
            bound.high += min(whole, bytes(crf: 10).map { $0 / frames } ?? 0)
            if let fine = bytes(crf: 10), let finest = bytes(crf: 1), let coarse = bytes(crf: 20) {
                bound = Band(
                    low: min(bound.low, coarse), likely: min(bound.likely, fine),
                    high: min(bound.high, finest))
            }
            band =
                band.map { own in
                    Band(
                        low: min(own.low, bound.low), likely: min(own.likely, bound.likely),
                        high: min(own.high, bound.high * 1.3))
                } ?? bound
        }
        guard var band else { return nil }
        if let most {
            band = Band(
                low: min(band.low, most), likely: min(band.likely, most), high: min(band.high, most * 1.05))
        }
        return band
    }
}
