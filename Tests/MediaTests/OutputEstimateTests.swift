// Estimates of sizes: what is known of a file narrows them, and what is not there costs nothing.
import Media
import MediaTime
import Testing

@Suite struct OutputEstimateTests {
    private func film() throws -> Asset { asset(try track(0, .video, "h264"), try track(1, .audio, "aac")) }

    private func estimate(
        _ id: String, _ asset: Asset, _ render: RenderMode = .encode,
        _ change: (inout OutputEstimate.Findings) -> Void = { _ in }, limit: Int64? = nil
    ) throws -> (band: SizeBand?, longest: Time?) {
        var findings = OutputEstimate.Findings()
        findings.complexity = Complexity(intra: 0.8, inter: 0.08, pixels: 230_400)
        change(&findings)
        var options = ExportOptions()
        options.limitSize = limit
        let estimate = OutputEstimate(
            try PresetCatalogue(folders: [builtInFolder()]).preset(id), asset, options,
            [TimeSpan(start: .zero, end: Time(4, 1))], findings)
        return (estimate.bytes(render), estimate.longest(render))
    }

    @Test func complexVideoTakesMore() throws {
        for id in ["m4v480", "m4v-appletv", "hevc1080", "vp9-720", "av1-1080", "prores422"] {
            let easy = try #require(
                try estimate(id, film()) {
                    $0.complexity?.inter = 0.01; $0.complexity?.intra = 0.1
                }.band)
            let hard = try #require(try estimate(id, film()).band)
            #expect(easy.likely < hard.likely, "\(id)")
            #expect(easy.low <= easy.likely && easy.likely <= easy.high)
        }
    }

    @Test func aTrackThatHasEndedCostsNothing() throws {
        let all = try #require(try estimate("m4v480", film()).band)
        var silent = try film()
        silent.tracks[1].duration = .zero
        #expect(try #require(try estimate("m4v480", silent).band).likely < all.likely)
        let blank = try #require(try estimate("m4v480", film()) { $0.complexity?.blank = .infinity }.band)
        #expect(blank.high < all.likely)
    }

    @Test func whatIsStoredIsAsLargeAsWasCounted() throws {
        let band = try #require(
            try estimate("passthrough", film(), .copy) {
                $0.stored = [
                    0: StoredAmount(bytes: 4_000_000, isCounted: true),
                    1: StoredAmount(bytes: 60_000, isCounted: true),
                ]
            }.band)
        #expect((3_600_000...4_000_000).contains(band.low))
        #expect((4_060_000...4_600_000).contains(band.high))
        let guessed = try #require(
            try estimate("passthrough", film(), .copy) {
                $0.stored = [0: StoredAmount(bytes: 4_000_000, isCounted: false)]
            }.band)
        #expect(guessed.high > band.high && guessed.low < band.low)
    }

    @Test func endsThatAreEncodedWidenTheBand() throws {
        func band(_ frames: Int) throws -> SizeBand {
            try #require(
                try estimate("passthrough", film(), .smart) {
                    $0.stored = [0: StoredAmount(bytes: 400_000, isCounted: true)]
                    $0.headTailFrames = frames
                }.band)
        }
        let (few, many) = try (band(2), band(110))
        #expect(few.high - few.low < many.high - many.low)
    }

    @Test func silenceIsMeasuredInTheSource() throws {
        let loud = try #require(try estimate("m4a", film()).band)
        let still = try #require(
            try estimate("m4a", film()) { $0.stored = [1: StoredAmount(bytes: 1000, isCounted: true)] }.band)
        #expect(still.likely < loud.likely / 4 && still.high == loud.high)
    }

    @Test func aLimitSaysHowMuchFits() throws {
        let (band, longest) = try estimate("m4v480", film(), limit: 100_000)
        #expect(try #require(band).high <= 100_000)
        #expect(try #require(longest) > .zero)
        #expect(try estimate("m4v480", film()).longest == nil)
    }

    /// Below the minimum nothing is tried; just above it there is a warning; static video is not asked for more than its own
    /// quality needs.
    @Test func theLeastIsTheSameForAnObstacleAndAWarning() throws {
        func estimate(_ limit: Int64, inter: Double = 0.08) throws -> OutputEstimate {
            var findings = OutputEstimate.Findings()
            findings.complexity = Complexity(intra: inter * 10, inter: inter, pixels: 230_400)
            var options = ExportOptions()
            options.limitSize = limit
            return OutputEstimate(
                try PresetCatalogue(folders: [builtInFolder()]).preset("m4v480"), try film(), options,
                [TimeSpan(start: .zero, end: Time(60, 1))], findings)
        }
        let least = try estimate(1).least
        #expect(try estimate(least - 1).limitObstacle?.code == .maximumFileSizeReached)
        for (limit, isNear) in [(least, true), (least + least / 8, true), (least + least / 4, false)] {
            #expect(try estimate(limit).limitObstacle == nil)
            #expect(
                try (estimate(limit).limitWarning?.code == "limitMayNotFit") == isNear, "\(limit) of \(least)"
            )
        }
        let easy = try estimate(least - 1, inter: 0.000_01)
        #expect(easy.least < least * 2 / 3)
        #expect(easy.limitObstacle == nil && easy.limitWarning == nil)
    }
}
