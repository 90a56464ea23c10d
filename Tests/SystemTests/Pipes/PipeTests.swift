// `-` as INPUT and OUTPUT, in the shell: what comes out of the pipe is the verified file, and nothing stays in the daemon's state.
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct PipeTests {
    /// Runs a line of the shell in the rig's folder; `trimctl` is the program under test.
    private func shell(_ rig: Rig, _ line: String) throws -> Ended {
        let words = """
            trimctl() { TRIMD_SOCKET='\(rig.socket)' '\(Rig.programs.path)/trimctl' "$@"; }
            \(line)
            """
        return try rig.run("/bin/bash", ["-c", words])
    }

    private func spooled(_ rig: Rig) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: rig.path("state/spool"))
    }

    /// The folder is removed when the daemon sees that its client has gone.
    private func expectNothingStays(_ rig: Rig) throws {
        try rig.wait("the spool to be empty") { try spooled(rig).isEmpty }
    }

    @Test func fromOnePipeIntoAnother() throws {
        let rig = try Rig()
        _ = try rig.film()
        let done = try shell(
            rig,
            "cat film.mp4 | trimctl export - -o - --start 1 --end 3 --preset m4v480 | cat > out.m4v; echo ${PIPESTATUS[*]}"
        )
        #expect(done.out == "0 0 0\n", "\(done.out) \(done.err)")
        let times = try Rig.frameTimes(rig.path("out.m4v"))
        #expect(times.count == 50 && times.first == "0.000000" && times.last == "1.960000")
        #expect(done.err.contains("\n-\n") || done.err.hasPrefix("-\n"), "\(done.err)")
        #expect(!done.err.contains("spool"))
        try expectNothingStays(rig)
        // Beside the user's files there is nothing but the output.
        #expect(try rig.leftovers().isEmpty)
    }

    /// Its reader cannot seek: the index of a movie comes first.
    @Test(arguments: ["mp4", "mov", "m4v", "mkv", "ts"]) func aReaderThatCannotSeekReadsIt(type: String)
        throws
    {
        let rig = try Rig()
        _ = try rig.film()
        let done = try shell(
            rig,
            """
            trimctl export film.mp4 -o - --type \(type) --start 1 --end 3 -q \
                | ffmpeg -v error -i pipe:0 -map 0:v -c copy -f framecrc pipe:1 | grep -vc '^#'
            """)
        #expect(done.code == 0 && done.out == "50\n", "\(done.out) \(done.err)")
    }

    @Test func fromAPipeIntoAFile() throws {
        let rig = try Rig()
        _ = try rig.film()
        let done = try shell(
            rig, "trimctl export - -o cut.m4v --preset m4v480 --end 2 --json --progress none < film.mp4")
        #expect(done.code == 0, "\(done.err)")
        let report = try done.json()
        #expect(report["input"] as? String == "-")
        #expect(report["output"] as? String == rig.path("cut.m4v"))
        #expect(try Rig.frameTimes(rig.path("cut.m4v")).count == 50)
        try expectNothingStays(rig)
    }

    @Test(arguments: ["ts", "mkv"]) func theTypeIsChosen(type: String) throws {
        let rig = try Rig()
        _ = try rig.film()
        let done = try shell(
            rig,
            "trimctl export film.mp4 -o - --type \(type) --preset passthrough --render copy --start 1 --end 3 > out"
        )
        #expect(done.code == 0, "\(done.err)")
        let format = try Rig.capture(
            "ffprobe",
            ["-v", "error", "-show_entries", "format=format_name", "-of", "csv=p=0", rig.path("out")])
        #expect(format.contains(type == "ts" ? "mpegts" : "matroska"), "\(format)")
        try expectNothingStays(rig)
    }

    @Test func soundGoesThroughAPipe() throws {
        let rig = try Rig()
        _ = try rig.film()
        let done = try shell(
            rig,
            "trimctl export film.mp4 -o - --preset flac --start 1 --end 2 -q | cat > out.flac; echo ${PIPESTATUS[0]}"
        )
        #expect(done.out == "0\n" && done.err.isEmpty, "\(done.err)")
        let length = try Rig.capture(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", rig.path("out.flac")])
        #expect(length.hasPrefix("48000"), "\(length)")
    }

    @Test func aReaderThatHasSeenEnoughIsNoError() throws {
        let rig = try Rig()
        _ = try rig.longFilm(seconds: 4)
        let done = try shell(
            rig,
            "trimctl export long.mp4 -o - --preset passthrough --render copy -q | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
        )
        #expect(done.out == "10\n0\n", "\(done.out) \(done.err)")
        #expect(done.err.isEmpty)
        try expectNothingStays(rig)
    }

    @Test func noDaemonIsNeeded() throws {
        let rig = try Rig(booted: false)
        _ = try rig.film()
        let done = try shell(
            rig,
            "cat film.mp4 | trimctl export - -o - --standalone --preset m4v480 --end 1 > out.m4v; echo ${PIPESTATUS[1]}"
        )
        #expect(done.out == "0\n", "\(done.err)")
        #expect(try Rig.frameTimes(rig.path("out.m4v")).count == 25)
    }

    @Test func theLimitOfTheSpoolIsNamed() throws {
        let rig = try Rig(booted: false)
        try rig.boot(settings: #"{"limits": {"spoolMiB": 1}}"#)
        let done = try shell(rig, "head -c 3000000 /dev/zero | trimctl export - -o out.mp4")
        #expect(done.code != 0 && done.err.contains("limits.spoolMiB"), "\(done.err)")
        try expectNothingStays(rig)
    }

    /// Nothing is written of an export that fails.
    @Test func whatIsNoFilmIsAnError() throws {
        let rig = try Rig()
        let done = try shell(
            rig, "head -c 3000000 /dev/urandom | trimctl export - -o - > out; echo ${PIPESTATUS[1]}")
        #expect(done.out != "0\n")
        #expect(try Data(contentsOf: rig.folder.appending(path: "out")).isEmpty)
        try expectNothingStays(rig)
    }

    /// The job of a client that was killed has nobody to read its output.
    @Test func aKilledClientLeavesNoJobAndNoFile() throws {
        let rig = try Rig()
        _ = try rig.longFilm()
        let done = try shell(
            rig,
            """
            trimctl export long.mp4 -o - --preset m4v720 --render encode > out & pid=$!
            until trimctl list --json | grep -q exporting; do sleep 0.1; done
            kill -9 $(pgrep -P $pid trimctl || echo $pid)
            """)
        #expect(done.code == 0, "\(done.err)")
        try rig.wait("the job to be cancelled") {
            rig.trimctl("show", "1", "--json").out.contains("\"cancelled\"")
        }
        try expectNothingStays(rig)
    }

    @Test func aStartSweepsWhatACrashLeft() throws {
        let rig = try Rig()
        _ = try rig.longFilm()
        let process = rig.start(["export", "long.mp4", "-o", "-", "--preset", "m4v720", "--render", "encode"])
        try rig.wait("the export to run") { try !spooled(rig).isEmpty && !rig.busyWorkers().isEmpty }
        rig.end(SIGKILL)
        try rig.boot()
        #expect(try spooled(rig).isEmpty)
        let ended = rig.finish(process)
        #expect(ended.code == 1 && ended.err.contains("give the command again"), "\(ended.err)")
    }
}
