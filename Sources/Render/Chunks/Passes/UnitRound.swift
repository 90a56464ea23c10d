// UnitRound: the units to make next of an export whose chunks share bits: first passes, second passes with each chunk's share, and again what was
// too large. Decides from the reports of finished units; reads no files. A value used on the caller's thread.
internal import Libav
package import Media
package import MediaTime
internal import Text

/// A round of an export whose chunks share bits, when its units are made.
package struct UnitRound {
    private let divided: DividedExport
    private let sharing: SharedBits
    /// The chunks in order, with what is known of each.
    private let chunks: [Part]
    private let audio: [Int: UnitDetails]

    /// A chunk and its units so far.
    private struct Part {
        var number: Int
        /// As it was encoded last; nil: it was not.
        var made: (chunk: Chunk, details: UnitDetails)?
        /// Its first pass.
        var analysed: (chunk: Chunk, statistics: ChunkStatistics?)?
    }

    /// A larger chunk exceeds its share.
    private static let tolerance = 1.005
    /// Bytes of a container for each frame, at least.
    private static let perFrame = 4.0

    /// Reads the reports; nil: the chunks share no bits.
    package init?(
        _ divided: DividedExport, _ units: [ExportUnit], _ reports: [UnitReport]
    ) throws(MediaError) {
        guard let sharing = divided.sharing else { return nil }
        var parts: [Int64: Part] = [:]
        var audio: [Int: UnitDetails] = [:]
        for (unit, report) in zip(units, reports) {
            let details = try UnitCoding.read(report.details, UnitDetails.self)
            switch try UnitCoding.read(unit.work, UnitWork.self) {
            case .video(let chunk):
                parts[chunk.shown.lowerBound, default: Part(number: 0)].made = (chunk, details)
            case .statistics(let chunk):
                parts[chunk.shown.lowerBound, default: Part(number: 0)].analysed = (chunk, details.statistics)
            case .audio(let track): audio[track] = details
            }
        }
        let sorted = parts.sorted { $0.key < $1.key }.map(\.value)
        chunks = sorted.enumerated().map { Part(number: $0, made: $1.made, analysed: $1.analysed) }
        (self.divided, self.sharing, self.audio) = (divided, sharing, audio)
    }

    /// Whether first passes are made, and nothing is encoded with them.
    package var isAnalysed: Bool { sharing.stage == .analysing }

    // MARK: Second passes

    /// The second passes, each with its share of the bits.
    package func second(_ log: (String) -> Void) throws(MediaError) -> ExportOutcome {
        var next = divided
        next.sharing?.stage = .encoding
        let numbering = UnitNumbering(next)
        guard let average = next.video.averageBitRate,
            let shared = shared(numbering, average: average)
        else { return .whole("the first pass of its encoder has statistics that cannot be divided") }
        let rates = shared.map { $0.rate?.share ?? 0 }
        log(
            "\(average) bit/s for \(quantity(shared.count, "chunk")): from \(rates.min() ?? 0) to \(rates.max() ?? 0)"
        )
        let units = try shared.enumerated().map { (number, chunk) throws(MediaError) in
            try numbering.video(number, chunk)
        }
        return .units(UnitPlan(plan: try UnitCoding.value(next), fingerprint: "", units: units))
    }

    private func shared(_ numbering: UnitNumbering, average: Int) -> [Chunk]? {
        var sharers: [SharingChunk] = []
        var chunks: [Chunk] = []
        for part in self.chunks {
            guard let (chunk, statistics) = part.analysed, let statistics else { return nil }
            chunks.append(chunk)
            sharers.append(
                SharingChunk(statistics: statistics, seconds: max(0.001, numbering.seconds(chunk))))
        }
        let length = sharers.reduce(0) { $0 + $1.seconds }
        let bits = ChunkShares.bits(
            of: sharers, budget: Double(average) * length,
            highest: divided.video.settings.maxBitRate.map(Double.init))
        for index in chunks.indices {
            let rate = Int(bits[index] / sharers[index].seconds)
            chunks[index].rate = ChunkRate(share: rate, told: rate)
        }
        return chunks
    }

    // MARK: Other rounds

    /// About the size of an output whose units exceed the limit by themselves; nil: they may fit.
    /// - Parameters:
    ///   - plan: the output's.
    ///   - length: the output's; nil: unknown.
    package func excess(_ plan: ExportPlan, length: Time?) -> SizeLimit.Outcome? {
        guard let bytes = sharing.limit.bytes, let length, plan.audio.allSatisfy({ !$0.isCopied }) else {
            return nil
        }
        var (video, frames) = (Int64(0), 0)
        for part in chunks {
            guard let details = part.made?.details else { return nil }
            (video, frames) = (video + details.bytes, frames + details.packets)
        }
        let audio = audio.values.reduce(0) { $0 + $1.bytes }
        guard Double(video + audio) + Double(frames) * UnitRound.perFrame > Double(bytes) else { return nil }
        let rest = Int64(IndexReserve.likely(plan, length: length))
        return SizeLimit.Outcome(size: video + audio + rest, video: video, audio: audio)
    }

    /// The chunks that exceed their shares, with lower rates, if the output fits when they no longer do.
    /// - Parameters:
    ///   - outcome: of the output, which is too large.
    ///   - limit: counts the attempt, unless nothing is returned.
    package func smaller(_ outcome: SizeLimit.Outcome, _ limit: inout SizeLimit) throws(MediaError)
        -> UnitPlan?
    {
        guard sharing.stage == .encoding, let bytes = limit.bytes, outcome.size > bytes else { return nil }
        var next = divided
        let numbering = UnitNumbering(next)
        var saved = 0.0
        var units: [ExportUnit] = []
        for part in chunks {
            guard let (made, details) = part.made, let rate = made.rate, rate.share > 0 else { return nil }
            var chunk = made
            let share = Double(rate.share) * numbering.seconds(chunk) / 8
            guard share > 0, Double(details.bytes) > share * UnitRound.tolerance else { continue }
            saved += Double(details.bytes) - share
            let lower = Double(rate.told) * share / Double(details.bytes)
            chunk.rate = ChunkRate(share: rate.share, told: max(1000, Int(lower * 0.995)))
            units.append(try numbering.video(part.number, chunk))
        }
        // With some reserve: what is encoded again may miss again.
        guard !units.isEmpty, Double(outcome.size) - saved < Double(bytes) * 0.995,
            limit.countOvershoot(outcome)
        else { return nil }
        next.sharing?.limit = limit
        return UnitPlan(plan: try UnitCoding.value(next), fingerprint: "", units: units)
    }

    /// The units of another attempt at the size.
    /// - Parameters:
    ///   - plan: with the limit's new rates.
    ///   - limit: that chose them.
    package func again(
        _ plan: ExportPlan, _ limit: SizeLimit, _ log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        guard let video = plan.video, video.isTwoPass else {
            return .whole("the size does not suit, and it has one pass")
        }
        var next = divided
        next.video = video
        next.sharing?.limit = limit
        next.sharing?.quality = SharedBits.quality(of: video, limit)
        next.audio = plan.audio.compactMap { if case .encode(let own) = $0 { own } else { nil } }
        let numbering = UnitNumbering(next)
        var units = try changedAudio(next, numbering)
        if chunks.allSatisfy({ $0.analysed?.statistics != nil }), !chunks.isEmpty {
            // The statistics stay as they are.
            next.sharing?.quality = sharing.quality
            let round = UnitRound(next, sharing, chunks, audio)
            guard case .units(var plan) = try round.second(log) else {
                return .whole("its first pass cannot be divided")
            }
            plan.units += units
            return .units(plan)
        }
        next.sharing?.stage = .analysing
        for part in chunks {
            guard var chunk = part.made?.chunk else { return .whole("a chunk is missing") }
            (chunk.rate, chunk.corrections) = (nil, 0)
            units += [
                try numbering.pending(part.number, chunk), try numbering.statistics(part.number, chunk),
            ]
        }
        return .units(UnitPlan(plan: try UnitCoding.value(next), fingerprint: "", units: units))
    }

    /// The audio tracks that another plan encodes otherwise.
    private func changedAudio(
        _ next: DividedExport, _ numbering: UnitNumbering
    ) throws(MediaError) -> [ExportUnit] {
        let before = try divided.audio.map { (plan) throws(MediaError) in try UnitCoding.value(plan).encoded }
        let length = chunks.reduce(0) { sum, part in
            sum + ((part.made?.chunk ?? part.analysed?.chunk).map(numbering.seconds) ?? 0)
        }
        var units: [ExportUnit] = []
        for plan in next.audio where !before.contains(try UnitCoding.value(plan).encoded) {
            units.append(try numbering.audio(plan, seconds: length))
        }
        return units
    }

    private init(
        _ divided: DividedExport, _ sharing: SharedBits, _ chunks: [Part], _ audio: [Int: UnitDetails]
    ) {
        (self.divided, self.sharing, self.chunks, self.audio) = (divided, sharing, chunks, audio)
    }
}

extension SharedBits {
    /// The rate factors of x264 and x265 where a preset has none, and how far one doubles the bits.
    private static let usual = 23.0, doubling = 6.0
    /// The highest, and the most above a preset's own.
    private static let highest = 45.0, most = 16.0

    /// The quality of a first pass, about that of the second one; nil: the encoder needs none.
    package static func quality(of video: VideoPlan, _ limit: SizeLimit) -> Double? {
        guard ["libx264", "libx265"].contains(video.settings.encoder) else { return nil }
        var factor = video.settings.crf ?? usual
        var excess = limit.excess
        while excess >= 1.25, factor < highest {
            factor += doubling / 3
            excess /= 1.26
        }
        return min(factor, min(highest, (video.settings.crf ?? usual) + most)).rounded()
    }
}
