// Checks that the units of an export fit together before anything is written: their number, the identity of their parameter sets, the
// times at the seams, and that each begins with a sync sample from which frames decode. Reads the units' files; writes nothing.
internal import Libav
internal import Media
internal import MediaTime

/// The finished units of an export.
struct JoinedUnits: Sendable {
    /// Why units cannot be joined: the export must be made as one.
    struct Misfit: Error {
        /// In words.
        var reason: String
    }

    private var video = UnitFiles(files: [], delay: 0)
    private var audio: [Int: UnitFiles] = [:]
    private(set) var warnings: [CountedWarning] = []
    /// Set where they do not fit.
    private(set) var misfit: String?

    /// - Parameter files: those of the units, in the same order as the reports.
    init(
        _ divided: DividedExport, _ units: [ExportUnit], _ reports: [UnitReport], files: [SourceFile]
    ) throws(MediaError) {
        guard units.count == reports.count, units.count == files.count else {
            throw MediaError(
                .invalidRequest, "\(units.count) units of the export have \(files.count) files and \(reports.count) reports")
        }
        var chunks: [Part] = []
        for (index, unit) in units.enumerated() {
            guard files[index].size == reports[index].bytes else {
                throw MediaError(
                    .inputOutput,
                    "read unit \(unit.number) of the export: its file has \(files[index].size) bytes, not \(reports[index].bytes)",
                    remedy: "retry the job; check the disk")
            }
            let details = try UnitCoding.read(reports[index].details, UnitDetails.self)
            warnings += details.warnings
            switch try UnitCoding.read(unit.work, UnitWork.self) {
            case .video(let chunk):
                chunks.append(Part(number: unit.number, file: files[index], chunk: chunk, details: details))
            case .audio(let track):
                audio[track] = UnitFiles(files: [(unit.number, files[index])], delay: 0)
            }
        }
        chunks.sort { $0.chunk.shown.lowerBound < $1.chunk.shown.lowerBound }
        video = UnitFiles(
            files: chunks.map { ($0.number, $0.file) }, delay: chunks.map(\.details.delay).max() ?? 0)
        do throws(Misfit) { try JoinedUnits.check(chunks) } catch { misfit = error.reason }
    }

    /// The lane of the video track.
    func lane(_ plan: VideoPlan, _ segments: Segments) -> any Lane { UnitLane(plan, segments, video) }

    /// The lane of an audio track; nil: it is none of the units.
    func lane(_ plan: AudioPlan) -> (any Lane)? { audio[plan.track.index].map { UnitLane(plan, $0) } }

    private struct Part {
        var number: Int
        var file: SourceFile
        var chunk: Chunk
        var details: UnitDetails
    }

    /// Throws where the chunks do not make one stream.
    private static func check(_ chunks: [Part]) throws(Misfit) {
        var format: EncodedFormat?
        for (index, part) in chunks.enumerated() {
            let name = "chunk \(index + 1) of \(chunks.count)"
            guard let shown = part.details.shown, part.details.packets > 0 else {
                throw Misfit(reason: "\(name) has no frames")
            }
            if let frames = part.chunk.frames, frames != part.details.packets {
                throw Misfit(reason: "\(name) has \(part.details.packets) frames, not \(frames)")
            }
            guard shown.lowerBound == part.chunk.shown.lowerBound,
                shown.upperBound == part.chunk.shown.upperBound || index == chunks.count - 1
            else { throw Misfit(reason: "\(name) has other times than planned") }
            let (own, first): (EncodedFormat?, Packet?)
            do throws(MediaError) {
                var reader = try UnitFileReader(part.file, number: part.number)
                (own, first) = (reader.head.format, try reader.next())
            } catch { throw Misfit(reason: error.message) }
            guard let own, let first else { throw Misfit(reason: "\(name) has no frames") }
            guard own == format ?? own else { throw Misfit(reason: "\(name) has other parameter sets") }
            format = own
            guard first.isKey, first.pts == shown.lowerBound else {
                throw Misfit(reason: "\(name) does not begin with a sync sample")
            }
        }
    }
}
