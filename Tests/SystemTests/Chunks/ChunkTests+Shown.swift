// The chunks of an export as users see them: before it in a dry run, and while it runs in its log and its state.
import Foundation
import Glibc
import Testing

extension ChunkTests {
    /// A dry run shows the chunks that an export has, by the settings, whatever processors there are.
    @Test(arguments: ["1", "2"]) func aDryRunShowsTheChunks(_ processors: String) throws {
        let rig = try rig()
        func run(_ words: [String]) -> Ended { rig.finish(rig.start(["export"] + words, daemon: true)) }
        var shown: [Int] = []
        for seconds in [2, 4] {
            rig.end(SIGTERM)
            try rig.boot(
                settings: #"{"threads": 1, "limits": {"chunkSeconds": \#(seconds)}}"#,
                options: ["--processors", processors])
            for more in [[], ["--reproducible"]] {
                let name = "out\(shown.count).m4v"
                let words = [rig.path("film.mp4"), "-o", rig.path(name), "--preset", "m4v480"] + more
                let plan = run(words + ["--dry-run", "--json"])
                let chunks = try #require(try plan.json()["chunks"] as? [[String: Any]], "\(plan)")
                #expect(run(words + ["--detach"]).code == 0)
                let id = "\(shown.count + 1)"
                try rig.wait("its units") { try rig.trimctl("show", id, "--json").json()["units"] != nil }
                #expect(
                    rig.trimctl("log", id).out.contains("divided into \(chunks.count) chunks\n"),
                    "\(rig.trimctl("log", id).out)")
                // It may have ended.
                rig.trimctl("cancel", id)
                shown.append(chunks.count)
            }
        }
        #expect(shown[0] == shown[1] && shown[2] == shown[3] && shown[0] > shown[2], "\(shown)")
    }

    /// Chunks, first passes and audio tracks are told apart, in the log and in the state of the job.
    @Test func eachUnitIsNamed() throws {
        let rig = try rig()
        #expect(
            rig.trimctl(
                "export", rig.path("film.mp4"), "-o", rig.path("out.m4v"), "--preset", "m4v480", "--bitrate",
                "800k", "--two-pass", "--audio-bitrate", "64k", "--detach"
            ).code == 0)
        var seen: Set<String> = []
        try rig.wait("the end") {
            let job = try rig.trimctl("show", "1", "--json").json()
            seen.formUnion((job["units"] as? [String: Any])?["making"] as? [String] ?? [])
            return job["status"] as? String != "exporting" && job["status"] as? String != "waiting"
        }
        try checkCompleted(rig)
        let text = log(rig)
        for name in ["chunk 0", "first pass of chunk 0", "audio track 1"] {
            #expect(text.contains("Z \(name) started: ") && text.contains("Z \(name) made: "), "\(text)")
        }
        #expect(!seen.isEmpty && seen.allSatisfy { text.contains("Z \($0) started: ") }, "\(seen)")
        #expect(text.contains(#/divided into (\d+) chunks, \1 first passes, 1 audio track\n/#), "\(text)")
        #expect(try rig.trimctl("show", "1", "--json").json()["units"] as? [String: Int] != nil)
    }
}
