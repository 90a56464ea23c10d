// What users see of the chunks of an export: before it in a dry run, and while it runs in its log and its state.
import Foundation
import Glibc
import Testing

extension ChunkTests {
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
