// The chunks that a dry run shows are those that the export is divided into, whatever divides it.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render
@testable import Source

struct ForecastChunkTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film each.
    enum Kind: String, CaseIterable, Sendable { case plain, varying, fast, rare, fields }

    private func film(_ kind: Kind) throws -> String {
        let (rate, filters, coding): (String, String, [String]) =
            switch kind {
            case .plain: ("25", "null", Film.h264())
            case .varying: ("25", "select='not(eq(mod(n,7),3))'", Film.h264() + ["-fps_mode", "vfr"])
            case .fast: ("60", "null", Film.h264())
            case .rare: ("24", "null", Film.h264("keyint=110:scenecut=0"))
            case .fields:
                (
                    "50", "tinterlace=mode=4,setfield=tff",
                    Film.h264() + ["-flags", "+ildct+ilme", "-x264-params", "tff=1:scenecut=0"]
                )
            }
        return try Film(
            name: "", type: kind == .varying ? "mkv" : "mp4",
            words: Film.video(rate, size: "160x120", seconds: "13", filters: filters)
                + Film.noise(seconds: "13") + coding + ["-c:a", "aac", "-shortest"]
        ).make(in: scratch)
    }

    /// Options of a request that decide how its export is divided.
    private static let changes: [(name: String, change: @Sendable (inout ExportRequest) -> Void)] = [
        ("as it is", { _ in }),
        (
            "reproducible",
            {
                $0.options = ExportOptions(); $0.options?.reproducible = true
            }
        ),
        ("a part", { $0.range = RangeRequest(start: .time(Time(7, 10)), end: .time(Time(61, 5))) }),
        (
            "two parts",
            { request in
                request.keep = [(2, 52), (60, 125)].map {
                    RangeSpelling(start: .time(Time($0.0, 10)), end: .time(Time($0.1, 10)))
                }
            }
        ),
        (
            "faster",
            {
                $0.options = ExportOptions(); $0.options?.speed = Ratio(3, 2)
            }
        ),
        (
            "another rate",
            {
                $0.options = ExportOptions(); $0.options?.frameRate = Ratio(12)
            }
        ),
        (
            "a limit",
            {
                $0.options = ExportOptions(); $0.options?.limitSize = 90_000
            }
        ),
        (
            "a wide limit",
            {
                $0.options = ExportOptions(); $0.options?.limitSize = 90_000_000
            }
        ),
        (
            "two passes",
            {
                $0.options = ExportOptions(); $0.options?.bitRate = 100_000; $0.options?.twoPass = true
            }
        ),
        (
            "one pass",
            {
                $0.options = ExportOptions(); $0.options?.limitSize = 90_000; $0.options?.twoPass = false
            }
        ),
    ]

    /// The output's intervals that the units of an export make.
    private func divided(_ exporter: Exporter, _ division: UnitDivision) throws -> [TimeSpan]? {
        // As the export begins; what is not divided need not be encoded here.
        let ready = try exporter.prepare(Diagnostics())
        var attempt = RenderAttempt(exporter, ready, output: -1)
        let way = RenderStrategy(ready.request).way
        guard let plan = try attempt.units(way, division, [], log: { _ in }) else { return nil }
        let video = try UnitCoding.read(plan.plan, DividedExport.self).video
        return try plan.units.compactMap { unit -> TimeSpan? in
            guard case .video(let chunk) = try UnitCoding.read(unit.work, UnitWork.self) else { return nil }
            return TimeSpan(
                start: video.timebase.time(ofTicks: chunk.shown.lowerBound),
                end: video.timebase.time(ofTicks: chunk.shown.upperBound))
        }.sorted { $0.start < $1.start }
    }

    @Test(arguments: Kind.allCases) func aDryRunShowsTheChunks(_ kind: Kind) throws {
        let film = try film(kind)
        var numbers: Set<Int> = []
        for (name, change) in ForecastChunkTests.changes {
            let isUsual = name == "as it is"
            for id in isUsual ? ["m4v480", "vp9-720"] : ["m4v480"] {
                for seconds in isUsual ? [nil, 1, 3] : [nil, 1] as [Double?] {
                    var request = ExportRequest(
                        input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
                        preset: try preset(id), render: .encode)
                    change(&request)
                    let exporter = Exporter(try scratch.source(film), request)
                    let division = UnitDivision(seconds: seconds)
                    let (shown, made) = (
                        try exporter.forecast(division: division).chunks, try divided(exporter, division)
                    )
                    #expect(shown == made, "\(kind), \(name), \(id), \(seconds ?? 0) s")
                    numbers.insert(made?.count ?? 0)
                }
            }
        }
        // The settings make a difference.
        #expect(kind == .rare || numbers.count > 2, "\(numbers)")
    }

    /// Where no frame of the range decodes, neither divides it.
    @Test func framesThatDoNotDecodeAreNotDivided() throws {
        let film = try film(.plain)
        struct Answer: Decodable {
            struct Packet: Decodable { var pos: String, size: String, pts_time: String }
            var packets: [Packet]
        }
        let answer = try Tool.ffprobe(
            ["-select_streams", "v:0", "-show_packets", film], as: Answer.self)
        let file = try #require(FileHandle(forUpdatingAtPath: film))
        for packet in answer.packets where Double(packet.pts_time) ?? 0 < 8 {
            let (position, size) = (try #require(UInt64(packet.pos)), try #require(Int(packet.size)))
            try file.seek(toOffset: position)
            try file.write(contentsOf: Data(count: size))
        }
        try file.close()
        func both(until seconds: Int64) throws -> (shown: [TimeSpan]?, made: [TimeSpan]?) {
            let request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
                range: RangeRequest(start: .time(.zero), end: .time(Time(seconds, 1))),
                preset: try preset("m4v480"), render: .encode)
            let exporter = Exporter(try scratch.source(film), request)
            let division = UnitDivision(seconds: 1)
            let plan = try exporter.forecast(division: division)
            return (plan.chunks, try divided(exporter, division))
        }
        let none = try both(until: 6)
        #expect(none.shown == nil && none.made == nil)
        let some = try both(until: 12)
        #expect(some.shown == some.made && some.shown != nil)
    }
}
