// Outputs that are given blocks of their source, by the real programs and a double of the kernel's call, which copies them; and what
// becomes of an export where that call fails, or is the daemon's last. The output is whole and the same as without clones, or there is
// none, and the error says why.
import Foundation
import Glibc
import Testing

@Suite(.enabled("the library that strikes calls cannot be built") { FaultShim.library != nil })
struct CloneFaultTests {
    /// A daemon whose file system shares blocks, and a film that is cut at keyframes: no encoder, so that each output is the same.
    private final class Bench {
        let rig: Rig
        let shim: FaultShim
        let film: String
        private let environment: [String: String]
        /// The hashes of all samples of an output without clones.
        private(set) var wanted = ""

        init(_ double: String = "copy") throws {
            rig = try Rig(booted: false)
            shim = try FaultShim(in: rig.folder)
            environment = try shim.environment().merging(["TRIM_CLONES": double]) { $1 }
            film = rig.path("film.mp4")
            try rig.ffmpeg(
                "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=10,noise=alls=20:allf=t", "-f",
                "lavfi", "-i", "anoisesrc=d=10:r=48000:seed=7", "-c:v", "libx264", "-preset", "ultrafast",
                "-b:v",
                "8M", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", film)
            try rig.boot(workers: 1, settings: #"{"reflink": false}"#)
            #expect(try export("reference.mp4")["bytesCloned"] == nil)
            wanted = try hashes("reference.mp4")
            rig.end(SIGTERM)
            try boot()
        }

        func boot() throws {
            let isUp = try rig.boot(workers: 1, environment: environment)
            try #require(isUp, "\(rig.daemonLog.suffix(2000))")
        }

        func run(_ output: String) -> Ended {
            rig.trimctl(
                "export", film, "-o", rig.path(output), "--start", "1", "--end", "9", "--render", "copy",
                "--json",
                "--progress", "none", "--key", output)
        }

        func export(_ output: String) throws -> [String: Any] {
            let ended = run(output)
            #expect(ended.code == 0, "\(ended.err)")
            return try ended.json()
        }

        /// The hashes of all samples, by ffmpeg.
        func hashes(_ output: String) throws -> String {
            try rig.run(
                "/usr/bin/env",
                ["ffmpeg", "-v", "error", "-i", rig.path(output), "-c", "copy", "-f", "streamhash", "-"]
            ).out
        }
    }

    @Test func blocksAreGiven() throws {
        let bench = try Bench()
        let job = try bench.export("a.mp4")
        let (cloned, bytes) = (try #require(job["bytesCloned"] as? Int), try #require(job["bytes"] as? Int))
        #expect(cloned > bytes * 8 / 10 && cloned < bytes, "\(cloned) of \(bytes)")
        #expect(try bench.hashes("a.mp4") == bench.wanted)
        #expect(try bench.rig.leftovers().isEmpty)
    }

    /// The first call is the trial, the second one gives blocks.
    @Test(arguments: [(EOPNOTSUPP, 1), (EOPNOTSUPP, 2), (EXDEV, 2), (EINVAL, 2)])
    func whatCannotBeClonedIsCopied(_ code: Int32, _ call: Int) throws {
        let bench = try Bench()
        try bench.shim.arm(.failFrom, call: call, code: code, only: "clone")
        #expect(try bench.export("a.mp4")["bytesCloned"] == nil)
        #expect(try bench.shim.struck == "clone")
        #expect(try bench.hashes("a.mp4") == bench.wanted)
        #expect(try bench.rig.leftovers().isEmpty)
    }

    @Test(arguments: [EIO, ENOSPC]) func aDiskThatFailsIsSaid(_ code: Int32) throws {
        let bench = try Bench()
        try bench.shim.arm(.fail, call: 2, code: code, only: "clone")
        let ended = bench.run("a.mp4")
        #expect(try bench.shim.struck == "clone")
        // It may be tried again, and then succeed.
        if ended.code == 0 {
            #expect(try bench.hashes("a.mp4") == bench.wanted)
        } else {
            #expect(ended.out.contains(code == EIO ? "inputOutput" : "diskFull"), "\(ended.out)")
            #expect(!bench.rig.exists("a.mp4"))
        }
        #expect(try bench.rig.leftovers().isEmpty)
    }

    /// At the trial, and at the clone.
    @Test(arguments: [1, 2]) func theDaemonDies(_ call: Int) throws {
        let bench = try Bench()
        try bench.shim.arm(.kill, call: call, only: "clone")
        _ = bench.run("a.mp4")
        #expect(try bench.rig.awaitDeath() == SIGKILL)
        #expect(!bench.rig.exists("a.mp4"))
        try bench.shim.disarm()
        try bench.boot()
        // The same request is the same job, which starts again.
        #expect(try bench.export("a.mp4")["bytesCloned"] as? Int ?? 0 > 0)
        #expect(try bench.hashes("a.mp4") == bench.wanted)
        #expect(try bench.rig.leftovers().isEmpty)
    }

    @Test func aSourceThatChangesMeanwhileIsSaid() throws {
        let bench = try Bench("spoil")
        let ended = bench.run("a.mp4")
        #expect(ended.code == 1)
        #expect(ended.out.contains("sourceChanged"), "\(ended.out)")
        #expect(!bench.rig.exists("a.mp4"))
        #expect(try bench.rig.leftovers().isEmpty)
    }
}
