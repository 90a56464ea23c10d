// Which way an export goes after a failure: a table of what was tried, how that failed, and what is next. No codec is opened.
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render

@Suite struct RenderStrategyTests {
    /// Failures, one after the other, and what is done after each.
    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        var render = RenderMode.auto
        var canEncode = true
        var steps: [(failure: AttemptFailure, attempt: RenderStrategy.Attempt, next: RenderStrategy.Step)]
        var way: RenderStrategy.Way

        var testDescription: String { name }
    }

    private static let copied = RenderStrategy.Attempt(copiesVideo: true)
    private static let encoded = RenderStrategy.Attempt()
    private static let encodedTwice = RenderStrategy.Attempt(hasStatistics: true)
    private static let notSpliced = MediaError(.spliceFailed, "its parameter sets change", track: 1)
    private static let notEncoded = MediaError(.encodeFailed, "the encoder gives up")
    private static let irregular = MediaError(.spliceFailed, "its times begin anew")
    private static let tooLarge = MediaError(.maximumFileSizeReached, "it does not fit")

    private static func mismatch(_ isMatched: Bool) -> AttemptFailure {
        .mismatch(
            AttemptFailure.Mismatch(isMatched: isMatched, why: "another frame", time: Time(1, 2), track: 1))
    }

    private static func way(
        _ render: RenderMode = .auto, depth: Int = 0, avoids: Bool = false, isOnePass: Bool = false
    ) -> RenderStrategy.Way {
        RenderStrategy.Way(
            render: render, reorderDepth: depth, avoidsMatchingSets: avoids, isOnePass: isOnePass)
    }

    static let rows: [Row] = [
        Row(
            name: "frames out of order are measured",
            steps: [(.reordering, copied, .measureReorderDepth)], way: way(depth: 4)),
        Row(
            name: "frames out of order are measured for who asked for copies",
            render: .smart, canEncode: false, steps: [(.reordering, copied, .measureReorderDepth)],
            way: way(.smart, depth: 4)),
        Row(
            name: "a depth that was measured and is too small is encoded",
            steps: [
                (.reordering, copied, .measureReorderDepth),
                (.reordering, copied, .encodeInstead(AttemptFailure.reordering.error)),
            ], way: way(.encode, depth: 4)),
        Row(
            name: "a depth that was measured and is too small ends what cannot be encoded",
            canEncode: false,
            steps: [
                (.reordering, copied, .measureReorderDepth),
                (.reordering, copied, .giveUp(AttemptFailure.reordering.error)),
            ], way: way(depth: 4)),
        Row(
            name: "an unknown order is encoded, even if copies were requested",
            render: .smart, steps: [(.orderUnknown(irregular), copied, .encodeInstead(irregular))],
            way: way(.encode)),
        Row(
            name: "an unknown order fails if encoding is not possible",
            canEncode: false, steps: [(.orderUnknown(irregular), copied, .giveUp(irregular))], way: way()),
        Row(
            name: "matching sets that fail are avoided, and then encoded",
            steps: [
                (mismatch(true), copied, .avoidMatchingSets),
                (mismatch(true), copied, .encodeInstead(mismatch(true).error)),
            ], way: way(.encode, avoids: true)),
        Row(
            name: "matching sets are avoided where nothing can be encoded, once",
            canEncode: false,
            steps: [
                (mismatch(true), copied, .avoidMatchingSets),
                (mismatch(false), copied, .giveUp(mismatch(false).error)),
            ], way: way(avoids: true)),
        Row(
            name: "sets of their own that fail are encoded, even for who asked for copies",
            render: .smart,
            steps: [(mismatch(false), copied, .encodeInstead(mismatch(false).error))], way: way(.encode)),
        Row(
            name: "both heal one after the other",
            steps: [
                (mismatch(true), copied, .avoidMatchingSets), (.reordering, copied, .measureReorderDepth),
            ], way: way(depth: 4, avoids: true)),
        Row(
            name: "samples that cannot be copied are encoded",
            steps: [(.other(notSpliced), copied, .encodeInstead(notSpliced))], way: way(.encode)),
        Row(
            name: "samples that cannot be copied are an error for who asked for copies",
            render: .smart, steps: [(.other(notSpliced), copied, .giveUp(notSpliced))], way: way(.smart)),
        Row(
            name: "samples that cannot be copied are an error where nothing can be encoded",
            canEncode: false, steps: [(.other(notSpliced), copied, .giveUp(notSpliced))], way: way()),
        Row(
            name: "copies that are too large are encoded, and then get another rate",
            steps: [
                (.unsuitableSize(.impossible, tooLarge), copied, .encodeForSize),
                (.unsuitableSize(.again, tooLarge), encoded, .otherRates),
                (.unsuitableSize(.again, tooLarge), encoded, .otherRates),
                (.unsuitableSize(.impossible, tooLarge), encoded, .giveUp(tooLarge)),
            ], way: way(.encode)),
        Row(
            name: "copies that are too large are an error for who asked for copies",
            render: .smart,
            steps: [(.unsuitableSize(.impossible, tooLarge), copied, .giveUp(tooLarge))], way: way(.smart)),
        Row(
            name: "copies that are too large are an error where nothing can be encoded",
            canEncode: false,
            steps: [(.unsuitableSize(.impossible, tooLarge), copied, .giveUp(tooLarge))], way: way()),
        Row(
            name: "a second pass that fails is left out, once",
            steps: [
                (.other(notEncoded), encodedTwice, .onePass),
                (.other(notEncoded), encodedTwice, .giveUp(notEncoded)),
            ], way: way(isOnePass: true)),
        Row(
            name: "one pass that fails is an error",
            steps: [(.other(notEncoded), encoded, .giveUp(notEncoded))], way: way()),
        Row(
            name: "a limit that nobody asked for is an error",
            steps: [(.other(tooLarge), encoded, .giveUp(tooLarge))], way: way()),
    ]

    @Test(arguments: rows) func eachFailureHasItsNextStep(_ row: Row) {
        var strategy = RenderStrategy(render: row.render, canEncode: row.canEncode)
        for (failure, attempt, next) in row.steps {
            let step = strategy.next(after: failure, of: attempt)
            #expect(step == next)
            if step == .measureReorderDepth { strategy.reorder(by: 4) }
        }
        #expect(strategy.way == row.way)
    }

    /// No film is tried for ever: whatever fails, always the same way, ends in an error after a few attempts.
    @Test(arguments: [RenderMode.auto, .copy, .smart, .encode]) func noFailureIsTriedForEver(
        _ render: RenderMode
    ) {
        let failures: [AttemptFailure] = [
            .reordering, .orderUnknown(Self.irregular), Self.mismatch(true), Self.mismatch(false),
            .unsuitableSize(.impossible, Self.tooLarge), .other(Self.notSpliced), .other(Self.notEncoded),
        ]
        for failure in failures {
            for canEncode in [true, false] {
                var strategy = RenderStrategy(render: render, canEncode: canEncode)
                var steps: [RenderStrategy.Step] = []
                while steps.count < 10 {
                    // An export that is encoded as a whole has no copied samples to fail with.
                    let isEncoded = strategy.way.render == .encode
                    steps.append(
                        strategy.next(
                            after: isEncoded ? .other(failure.error) : failure,
                            of: RenderStrategy.Attempt(copiesVideo: !isEncoded, hasStatistics: true)))
                    if steps.last == .measureReorderDepth { strategy.reorder(by: 0) }
                    if case .giveUp = steps.last { break }
                }
                #expect(steps.count < 5, "\(failure), \(canEncode): \(steps)")
            }
        }
    }

    /// Every row fails a strategy that always gives up: the table says something of each kind of step.
    @Test func theTableHasEveryStep() {
        let steps = Self.rows.flatMap(\.steps).map(\.next)
        func count(_ fits: (RenderStrategy.Step) -> Bool) -> Int { steps.count(where: fits) }
        #expect(steps.contains(.measureReorderDepth) && steps.contains(.avoidMatchingSets))
        #expect(steps.contains(.encodeForSize) && steps.contains(.otherRates) && steps.contains(.onePass))
        #expect(count { if case .encodeInstead = $0 { true } else { false } } > 0)
        #expect(count { if case .giveUp = $0 { true } else { false } } > 0)
    }

    /// Which way is next hangs on the failure alone, not on the words that users read.
    @Test func theWordsOfAnErrorDecideNothing() {
        let alike = MediaError(.spliceFailed, AttemptFailure.reordering.error.message)
        var strategy = RenderStrategy(render: .auto, canEncode: true)
        #expect(strategy.next(after: .other(alike), of: Self.copied) == .encodeInstead(alike))
    }

    @Test func theSentencesAreTheUsers() {
        #expect(
            Self.mismatch(true).error.message
                == "the joined frames, with one set of parameters, are not the source's: another frame")
        #expect(
            Self.mismatch(false).error.message == "the joined frames are not the source's: another frame")
        #expect(
            AttemptFailure.reordering.error.message
                == "the frames are more out of order than at the cut points")
        #expect(Self.mismatch(true).error.time == Time(1, 2) && Self.mismatch(true).error.track == 1)
    }

    /// The way of an output is that of its video; of audio alone, the one that loses most.
    @Test(
        arguments: [
            ([(.video, .copy), (.audio, .encode)], .copy), ([(.audio, .encode), (.video, .smart)], .smart),
            ([(.audio, .copy), (.audio, .encode)], .encode), ([(.audio, .copy), (.audio, .copy)], .copy),
            ([(.video, .encode), (.audio, .copy)], .encode), ([(.audio, .smart), (.audio, .encode)], .smart),
            ([], .encode),
        ] as [([(TrackKind, RenderMode)], RenderMode)])
    func theWayOfAnOutput(_ tracks: [(TrackKind, RenderMode)], _ way: RenderMode) {
        #expect(RenderMode(of: tracks.map { ($0.0, $0.1) }) == way)
    }
}
