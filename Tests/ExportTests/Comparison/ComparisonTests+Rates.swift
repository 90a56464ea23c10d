// Files whose preset lowered the frame rate, held against the frames that were kept.
import Export
import Foundation
import Media
import MediaTime
import Testing

extension ComparisonTests {
    @Test func aLoweredRateIsHeldAgainstTheFramesThatWereKept() throws {
        let input = try source("mp4", Film.video("50"))
        let made = try export(input, "m4v720", start: Self.start, end: Self.end, in: scratch)
        let report = try compare(input, made.file)
        #expect(report.exact, "\(report.findings)")
        #expect(report.video?.every == 2 && report.warnings.contains { $0.code == .rateLowered })
    }

    /// Twice the rate that a preset allows, even and with a gap, which makes the rate a variable one.
    static let fast: [(name: String, filters: String, range: (Time, Time)?)] = [
        ("even", "null", nil), ("even", "null", (Time(103, 100), Time(211, 100))),
        ("even", "null", (Time(1, 1), Time(112, 100))),
        ("gap", "select='not(eq(n,118)+eq(n,117))'", nil),
        ("gap", "select='not(eq(n,118)+eq(n,117))'", (Time(103, 100), Time(211, 100))),
        // Two frames, farther apart than the cap asks for.
        ("gap", "select='not(eq(n,118)+eq(n,117))'", (Time(195, 100), Time(2, 1))),
    ]

    @Test(arguments: fast) func theHalfRateIsExact(
        _ film: (name: String, filters: String, range: (Time, Time)?)
    ) throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video("60000/1001", seconds: "2", filters: film.filters) + Film.h264() + [
                "-fps_mode", "passthrough", "-video_track_timescale", "90000",
            ]
        ).make(in: scratch)
        let made = try export(
            input, "m4v720", start: film.range?.0, end: film.range?.1, in: scratch, type: "m4v")
        func comparison(_ file: String) throws -> ComparisonReport {
            try compare(input, file) { range in
                if let (start, end) = film.range { (range.start, range.end) = (.time(start), .time(end)) }
            }
        }
        let report = try comparison(made.file)
        #expect(report.exact, "\(film.name) \(report.findings)")
        #expect(try #require(report.video).missing == 0)
        if let (start, end) = film.range, (end - start).seconds < 0.06 { return }
        #expect(report.warnings.contains { $0.code == .rateLowered })
        // A frame of those that were kept is gone.
        let lacking = scratch.name("m4v")
        try Tool.ffmpeg([
            "-i", made.file, "-vf", "select='not(eq(n,2))'", "-fps_mode", "passthrough",
            "-video_track_timescale", "90000", "-c:v", "libx264", "-crf", "16", lacking,
        ])
        #expect(try comparison(lacking).findings.contains { $0.code == "frameMissing" }, "\(film.name)")
    }

    /// 30.3 and 33 frames a second under a cap of 30: single frames are left out, and no more.
    @Test(arguments: [("303/10", 120), ("33", 120)])
    func aRateALittleAboveTheCapLosesSingleFrames(_ rate: String, _ frames: Int64) throws {
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(rate, seconds: "4") + Film.h264() + ["-video_track_timescale", "90900"]
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch)
        #expect(made.result.tracks.first?.framesEncoded == frames)
        let lowered = made.result.warnings.first { $0.code == .frameRateLowered }
        #expect(lowered?.message.hasSuffix("is lowered to 30") == true, "\(made.result.warnings)")
        // Those that are there have their own times.
        let cap = FrameRateCap(Ratio(30), on: try #require(Ratio(rate)))
        let (all, kept) = (try Truth(input).frames().map(\.time), try Truth(made.file).frames().map(\.time))
        #expect(all.enumerated().filter { cap.keeps($0.offset) }.map(\.element) == kept)
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact && report.warnings.contains { $0.code == .rateLowered }, "\(report.findings)")
        // A frame that the cap keeps is gone.
        let lacking = scratch.name("m4v")
        try Tool.ffmpeg([
            "-i", made.file, "-vf", "select='not(eq(n,50))'", "-fps_mode", "passthrough",
            "-video_track_timescale", "90900", "-c:v", "libx264", "-crf", "16", lacking,
        ])
        #expect(try compare(input, lacking) { _ in }.findings.contains { $0.code == "frameMissing" })
    }

    /// A camera's frames, of which some come sooner than the cap allows, in light that changes its rate: by more than 2 ms, and by less.
    @Test(arguments: [(by: [700, 400], isLowered: true), (by: [6, 9], isLowered: false)])
    func aVariableRateAboveTheCapLosesSingleFrames(_ early: (by: [Int], isLowered: Bool)) throws {
        let times = "N*3001-\(early.by[0])*gte(N,20)-\(early.by[1])*gte(N,40)+max(N-50,0)*750"
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video("30", seconds: "3", filters: "settb=1/90000,setpts='\(times)'")
                + Film.h264() + [
                    "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-video_track_timescale",
                    "90000",
                ]
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch, type: "m4v")
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
        #expect(report.warnings.contains { $0.code == .rateLowered } == early.isLowered)
        let frames = try Truth(input).frames().count
        #expect(try #require(report.video).expected == Int64(frames - (early.isLowered ? 2 : 0)))
        #expect(try Truth(made.file).frames().count == frames - (early.isLowered ? 2 : 0))
    }

    /// Ogg counts frames: a tick of it is as long as a frame, and so no rounding.
    @Test func ticksAsLongAsFramesAreNoLoweredRate() throws {
        let input = try Film(
            name: "", type: "ogv",
            words: Film.video(
                "50", size: "320x180", seconds: "3", filters: "select='not(eq(n,60)+eq(n,61)+eq(n,90))'")
                + ["-c:v", "libtheora", "-q:v", "9", "-enc_time_base", "1:50", "-fps_mode", "passthrough"]
        ).make(in: scratch)
        for (preset, isLowered) in [("highest", false), ("m4v720", true)] {
            let made = try export(input, preset, in: scratch, type: "mp4")
            let report = try compare(input, made.file) { _ in }
            #expect(report.exact, "\(preset): \(report.findings)")
            #expect(report.warnings.contains { $0.code == .rateLowered } == isLowered, "\(preset)")
        }
    }

    /// Of caps that fit the distances of the frames, the one that left frames out is found.
    @Test func theCapIsTheOneThatFitsTheFramesBest() throws {
        let input = try Film(
            name: "", type: "gif",
            words: Film.video(
                "50", size: "320x180", seconds: "2", filters: "select='not(eq(mod(n,11),10))'")
                + ["-fps_mode", "passthrough"]
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch, type: "mp4")
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
        #expect(report.warnings.contains { $0.code == .rateLowered })
    }

    /// A phone's frames at 60 a second, of which a cap keeps every other: some are a millisecond closer than a thirtieth.
    @Test(arguments: [1501, 1500, 1476] as [Int]) func aJitteringRateIsLowered(_ ticks: Int) throws {
        let times = "N*\(ticks)+80*random(0)"
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video("60", seconds: "3", filters: "settb=1/90000,setpts='\(times)'") + Film.h264()
                + [
                    "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-video_track_timescale",
                    "90000",
                ]
        ).make(in: scratch)
        for start in [Time.zero, Time(1003, 1000)] {
            let made = try export(input, "m4v720", start: start, end: Time(5, 2), in: scratch, type: "m4v")
            let report = try compare(input, made.file) {
                ($0.start, $0.end) = (.time(start), .time(Time(5, 2)))
            }
            #expect(report.exact, "\(report.findings)")
            #expect(report.warnings.contains { $0.code == .rateLowered })
        }
    }
}
