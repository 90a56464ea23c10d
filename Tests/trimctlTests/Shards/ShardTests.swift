// Shards: how --shard is spelled, what engines say in the environment, and how a list is divided: disjoint, complete, balanced, and
// the same for all that divide it.
import Lists
import Media
import MediaTime
import Testing

@testable import trimctl

@Suite struct ShardTests {
    private func shard(_ variables: [String: String], count: Int? = nil) throws(MediaError) -> String {
        try ShardEnvironment(variables: variables).shard(count: count).description
    }

    @Test func spellings() throws {
        let read = { (text: String) throws(MediaError) in try ShardSpelling.parse(text, for: "--shard") }
        #expect(try read("2/8") == .shard(#require(Shard(2, of: 8))))
        #expect(try read("1/1") == .shard(#require(Shard(1, of: 1))))
        #expect(try read("auto") == .automatic(count: nil))
        #expect(try read("auto/8") == .automatic(count: 8))
        for wrong in [
            "", "2", "/8", "2/", "0/8", "9/8", "2/8/1", "-1/8", "+2/8", "2/0", "auto/0", "auto/", "auto/x",
            "AUTO", "1/10001",
            " 1/2", "1/99999999999999999999", "٢/٨",
        ] {
            let error = #expect(throws: MediaError.self, "\(wrong)") { try read(wrong) }
            #expect(error?.code.exitCode == 2 && error?.remedy != nil, "\(wrong)")
        }
    }

    @Test(
        arguments: [
            // From 0, from 1, and in steps.
            (["ID": "0", "COUNT": "8", "MIN": "0", "MAX": "7", "STEP": "1"], "1/8"),
            (["ID": "7", "COUNT": "8", "MIN": "0", "MAX": "7"], "8/8"),
            (["ID": "1", "COUNT": "8", "MIN": "1", "MAX": "8"], "1/8"),
            (["ID": "8", "COUNT": "8", "MIN": "1", "MAX": "8"], "8/8"),
            (["ID": "7", "COUNT": "5", "MIN": "1", "MAX": "9", "STEP": "2"], "4/5"),
            (["ID": "30", "COUNT": "4", "MIN": "10", "MAX": "40"], "3/4"),
            (["ID": "5", "COUNT": "1", "MIN": "5", "MAX": "5"], "1/1"),
            // 1,3,7: nobody can tell the position of 3; out of the array; not said.
            (["ID": "3", "COUNT": "3", "MIN": "1", "MAX": "7", "STEP": "1"], nil),
            (["ID": "2", "COUNT": "4", "MIN": "1", "MAX": "8"], nil),
            (["ID": "9", "COUNT": "8", "MIN": "1", "MAX": "8"], nil),
            (["ID": "1"], nil), (["ID": "x", "COUNT": "8", "MIN": "1"], nil),
            (["ID": "1", "COUNT": "0", "MIN": "1"], nil),
        ] as [([String: String], String?)])
    func arraysOfSlurm(variables: [String: String], expected: String?) throws {
        let named = Dictionary(
            uniqueKeysWithValues: variables.map { ("SLURM_ARRAY_TASK_\($0.key)", $0.value) })
        guard let expected else {
            let error = #expect(throws: MediaError.self) { try shard(named) }
            #expect(error?.code.exitCode == 2)
            return
        }
        #expect(try shard(named) == expected)
        let total = try #require(expected.split(separator: "/").last.flatMap { Int($0) })
        #expect(try shard(named, count: total) == expected)
        #expect(throws: MediaError.self) { try shard(named, count: total + 1) }
    }

    @Test func otherEngines() throws {
        #expect(try shard(["JOB_COMPLETION_INDEX": "0"], count: 3) == "1/3")
        #expect(try shard(["JOB_COMPLETION_INDEX": "2"], count: 3) == "3/3")
        #expect(throws: MediaError.self) { try shard(["JOB_COMPLETION_INDEX": "3"], count: 3) }
        let open = #expect(throws: MediaError.self) { try shard(["JOB_COMPLETION_INDEX": "0"]) }
        #expect(open?.remedy?.contains("auto/8") == true)
        #expect(try shard(["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "4"]) == "1/4")
        #expect(try shard(["CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "4"]) == "4/4")
        // A job of GitLab without `parallel`.
        #expect(try shard(["CI_NODE_TOTAL": "1"]) == "1/1")
        #expect(throws: MediaError.self) { try shard(["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "4"]) }
        #expect(try shard(["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "5"]) == "1/5")
        #expect(try shard(["CIRCLE_NODE_INDEX": "4", "CIRCLE_NODE_TOTAL": "5"]) == "5/5")
        #expect(throws: MediaError.self) { try shard(["CIRCLE_NODE_INDEX": "5", "CIRCLE_NODE_TOTAL": "5"]) }
    }

    @Test func nothingIsGuessed() throws {
        #expect(throws: MediaError.self) { try shard([:]) }
        #expect(throws: MediaError.self) { try shard([:], count: 8) }
        // A runner inside another engine's job.
        let both = [
            "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4", "SLURM_ARRAY_TASK_ID": "1",
            "SLURM_ARRAY_TASK_COUNT": "8",
            "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "8",
        ]
        let error = #expect(throws: MediaError.self) { try shard(both) }
        #expect(
            error?.message.contains("CI_NODE_INDEX 2/4") == true && error?.message.contains("1/8") == true)
    }

    @Test func shardsAreDisjointCompleteAndBalanced() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let lines = Int.random(in: 0...200, using: &random),
                count = Int.random(in: 1...40, using: &random)
            let most = Int64.random(in: 1...10_000_000, using: &random)
            let lengths = (0..<lines).map { _ -> Int64? in
                Int.random(in: 0..<4, using: &random) == 0 ? nil : Int64.random(in: -5...most, using: &random)
            }
            let shards = ShardAssignment.shards(of: lengths, count: count)
            // Each line is in one shard, which exists.
            #expect(shards.count == lines && shards.allSatisfy { 1...count ~= $0 })
            #expect(ShardAssignment.shards(of: lengths, count: count) == shards)
            let known = lengths.compactMap { $0.map { max($0, 1) } }
            let average = known.isEmpty ? 1 : max(known.reduce(0, +) / Int64(known.count), 1)
            let weights = lengths.map { $0.map { max($0, 1) } ?? average }
            var loads = [Int64](repeating: 0, count: count)
            for (shard, weight) in zip(shards, weights) { loads[shard - 1] += weight }
            let spread = (loads.max() ?? 0) - (loads.min() ?? 0)
            #expect(spread <= weights.max() ?? 0, "\(lengths) \(count)")
        }
    }

    @Test func withoutLengthsTheLinesAreCounted() {
        let shards = ShardAssignment.shards(of: [Int64?](repeating: nil, count: 10), count: 4)
        #expect((1...4).map { shard in shards.count { $0 == shard } } == [3, 3, 2, 2])
        #expect(Set(ShardAssignment.shards(of: [nil, nil], count: 5)) == [1, 2])
    }

    @Test(
        arguments: [
            ("10", "70", nil, 60_000), (nil, "1:10", nil, 70_000), ("5", nil, "2.5", 2_500),
            ("-30", nil, nil, 30_000),
            ("-30", "-10", nil, 20_000), ("250f", "500f", nil, 10_000),
            ("01:00:00:00", "01:00:10:00", nil, 10_000),
            ("441000/44100", "20", nil, 10_000), ("10", nil, nil, nil), (nil, nil, nil, nil),
            ("10", "-10", nil, nil),
        ] as [(String?, String?, String?, Int64?)])
    func lengthsOfLines(start: String?, end: String?, duration: String?, expected: Int64?) throws {
        var line = ListedExport(line: 1)
        line.start = try start.map { try TimeSpelling.parse($0) }
        line.end = try end.map { try TimeSpelling.parse($0) }
        line.duration = try duration.map { try TimeSpelling.parse($0) }
        #expect(line.listedLength == expected)
    }

    @Test func unfinishedFilesOfAnOutputAreKnownByTheirNames() {
        let long = String(repeating: "x", count: 250) + ".mp4"
        for (name, of, expected) in [
            (".a.mp4.trimd-1-1.part", "a.mp4", true), (".a.mp4.trimd-12-u00034.part", "a.mp4", true),
            (".a.mp4.trimd-12-u000034-000000002.part", "a.mp4", true),
            (".a.mp4.trimd-12-u000034-2-1.part", "a.mp4", false),
            (".b.mp4.trimd-1-1.part", "a.mp4", false), (".a.mp4.trimd-1-1.part", "a", false),
            ("a.mp4.trimd-1-1.part", "a.mp4", false),
            (".a.mp4.trimd-x-1.part", "a.mp4", false), (".a.mp4.trimd-1-1-1.part", "a.mp4", false),
            (".a.mp4.part", "a.mp4", false),
            (".a.mp4.trimd-1-.part", "a.mp4", false),
            ("." + long.prefix(230) + ".trimd-1-1.part", long, true),
            (".a.trimd-1-1.part.trimd-2-1.part", "a.trimd-1-1.part", true),
            (".trimd-1-1.part", "a.mp4", false),
        ] { #expect(ShardStrays.isUnfinished(name, of: of) == expected, "\(name) \(of)") }
    }
}
