// The processors that an export made as one takes: no more than it can use.
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct ShareTests {
    @Test func audioLeavesProcessorsToOthers() throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "anoisesrc=duration=300", "-c:a", "pcm_s16le", rig.path("long.wav"))
        try rig.boot(options: ["--processors", "2"])
        #expect(
            rig.trimctl(
                "export", rig.path("long.wav"), "-o", rig.path("o.m4a"), "--preset", "m4a", "--detach"
            )
            .code == 0)
        try rig.wait("a share of one") {
            let status = try rig.trimctl("status", "--json").json()
            guard status["busy"] as? Int == 1, status["busyProcessors"] as? Int == 1 else { return false }
            let (all, reserved) = (
                status["memoryBytes"] as? Int ?? 0, status["reservedMemoryBytes"] as? Int ?? 0
            )
            #expect(reserved > 0 && reserved <= all)
            return true
        }
        #expect(rig.trimctl("wait", "1").code == 0)
        let status = try rig.trimctl("status", "--json").json()
        #expect(status["reservedMemoryBytes"] as? Int == 0 && status["busyProcessors"] as? Int == 0)
    }

    /// Smart trims hold processors while they encode their heads and tails, and none while they copy: one processor is enough for two.
    @Test func smartTrimsCopyBesideEachOther() throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=50:duration=20", "-c:v", "libx264", "-preset",
            "ultrafast", "-g", "100", "-pix_fmt", "yuv420p", rig.path("part.mp4"))
        // Copying it takes many times as long as encoding two seconds of it.
        try rig.ffmpeg("-stream_loop", "199", "-i", rig.path("part.mp4"), "-c", "copy", rig.path("long.mp4"))
        try rig.boot(options: ["--processors", "1"])
        for name in ["a.mp4", "b.mp4"] {
            let ended = rig.trimctl(
                "export", rig.path("long.mp4"), "-o", rig.path(name), "--start", "0.5", "--end", "3999.5",
                "--render", "smart", "--detach")
            #expect(ended.code == 0)
        }
        try rig.wait("both to copy") {
            let status = try rig.trimctl("status", "--json").json()
            return status["busy"] as? Int == 2 && status["busyProcessors"] as? Int == 0
        }
        #expect(rig.trimctl("wait", "1", "2").code == 0)
    }
}
