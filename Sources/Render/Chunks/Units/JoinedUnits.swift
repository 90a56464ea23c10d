// Checks that the units of an export fit together before anything is written: their number, the identity of their parameter sets, the
// times at the seams, and that each begins with a sync sample from which frames decode. Reads the units' files; writes nothing.
package import Libav
package import Media
internal import MediaTime
package import Source
internal import Text

/// The finished units of an export.
package struct JoinedUnits: Sendable {
    private var video = UnitFiles(files: [], delay: 0)
    private var audio: [Int: UnitFiles] = [:]
    package private(set) var warnings: [CountedWarning] = []
    /// Why chunks were encoded in one pass, though they have statistics.
    package private(set) var onePass: [String] = []
    /// Units to make again, since they need a fuller decoder's buffer than their predecessors leave.
    package private(set) var corrections: [ExportUnit] = []
    /// Set where they do not fit.
    package private(set) var misfit: String?

    /// - Parameter files: those of the units, in the same order as the reports.
    package init(
        _ divided: DividedExport, _ units: [ExportUnit], _ reports: [UnitReport], files: [SourceFile]
    ) throws(MediaError) {
        guard units.count == reports.count, units.count == files.count else {
            throw MediaError(
                .invalidRequest,
                "for \(quantity(units.count, "unit")) of the export there are \(quantity(files.count, "file")) and \(quantity(reports.count, "report"))"
            )
        }
        var chunks: [Part] = []
        for (index, unit) in units.enumerated() {
            guard files[index].size == reports[index].bytes else {
                throw MediaError(
                    .inputOutput,
                    "read \(unit.name): its file has \(files[index].size) bytes, not \(reports[index].bytes)",
                    remedy: "retry the job; check the disk")
            }
            let details = try UnitCoding.read(reports[index].details, UnitDetails.self)
            warnings += details.warnings
            if let reason = details.onePass { onePass.append(reason) }
            switch try UnitCoding.read(unit.work, UnitWork.self) {
            case .statistics: continue
            case .video(let chunk):
                chunks.append(Part(unit: unit, file: files[index], chunk: chunk, details: details))
            case .audio(let track):
                audio[track] = UnitFiles(files: [(unit.name, files[index])], delay: 0)
            }
        }
        chunks.sort { $0.chunk.shown.lowerBound < $1.chunk.shown.lowerBound }
        video = UnitFiles(
            files: chunks.map { ($0.unit.name, $0.file) }, delay: chunks.map(\.details.delay).max() ?? 0)
        misfit = try JoinedUnits.misfit(of: chunks)
        if let buffer = divided.video.decoderBuffer {
            let check = BufferCheck(buffer, encoder: divided.video.settings.encoder)
            let found = check.check(chunks.map { ($0.chunk, $0.details.buffer) })
            for (index, chunk) in found.corrected {
                var unit = chunks[index].unit
                unit.work = try UnitCoding.value(UnitWork.video(chunk))
                corrections.append(unit)
            }
            if corrections.isEmpty, let warning = found.warning(divided.video) {
                warnings.append(CountedWarning(warning: warning, count: 1))
            }
        }
    }

    /// The lane of the video track.
    func lane(_ plan: VideoPlan, _ segments: Segments) -> any Lane { UnitLane(plan, segments, video) }

    /// The lane of an audio track; nil: it is none of the units.
    func lane(_ plan: AudioPlan) -> (any Lane)? { audio[plan.track.index].map { UnitLane(plan, $0) } }

    private struct Part {
        var unit: ExportUnit
        var file: SourceFile
        var chunk: Chunk
        var details: UnitDetails
    }

    /// Why the chunks do not make one stream; nil: they do. Throws where a file is damaged.
    private static func misfit(of chunks: [Part]) throws(MediaError) -> String? {
        for (index, part) in chunks.enumerated() {
            let name = "\(part.unit.name) of \(chunks.count)"
            guard let shown = part.details.shown, part.details.packets > 0 else {
                return "\(name) has no frames"
            }
            if let frames = part.chunk.frames, frames != part.details.packets {
                return "\(name) has \(quantity(part.details.packets, "frame")), not \(frames)"
            }
            guard shown.lowerBound == part.chunk.shown.lowerBound,
                shown.upperBound == part.chunk.shown.upperBound || index == chunks.count - 1
            else { return "\(name) has other times than planned" }
        }
        let beginnings = try chunks.concurrentMap(atOnce: decoders) { part throws(MediaError) in
            try beginning(of: part)
        }
        for (part, beginning) in zip(chunks, beginnings) {
            let name = "\(part.unit.name) of \(chunks.count)"
            guard let beginning else { return "\(name) has no frames" }
            guard beginning.format == beginnings.first??.format else {
                return "\(name) has other parameter sets"
            }
            guard beginning.decodes else {
                return "\(name) does not begin with a sync sample from which frames decode"
            }
        }
        return nil
    }

    private struct Beginning: Sendable {
        var format: EncodedFormat
        /// It begins with a sync sample from which frames decode.
        var decodes: Bool
    }

    /// The beginning of a chunk; nil: it has no frames. Throws where its file is damaged.
    private static func beginning(of part: Part) throws(MediaError) -> Beginning? {
        var reader = try UnitFileReader(part.file, of: part.unit.name)
        var packets: [Packet] = []
        while packets.count < enough, let packet = try reader.next() { packets.append(packet) }
        guard let format = reader.head.format, let first = packets.first else { return nil }
        let decodes = first.isKey && first.pts == part.details.shown?.lowerBound && decode(packets, format)
        // A damaged file is no reason to encode otherwise.
        if !decodes { try reader.check() }
        return Beginning(format: format, decodes: decodes)
    }

    /// Decoders at once: each holds up to eight frames, in 8K 400 MB.
    private static let decoders = 4

    /// Packets that are enough for two frames.
    private static let enough = 6

    /// Whether the first packets of a chunk begin with a closed sync sample, and two frames decode from it.
    private static func decode(_ packets: [Packet], _ format: EncodedFormat) -> Bool {
        do throws(LibavError) {
            let parameters = try format.parameters()
            let kind = SampleKind(codec: format.codec, extradata: parameters.extradata)
            if let first = packets.first, kind.access(of: first.bytes) != .closed { return false }
            let decoder = try Decoder(parameters, timebase: .seconds, threads: 1)
            let wanted = min(2, packets.count)
            var frames = 0
            for packet in packets.map(Optional.some) + [nil] where frames < wanted {
                guard case .taken = try decoder.send(packet) else { return false }
                while case .frame = try decoder.receive(into: Frame()) { frames += 1 }
            }
            return frames >= wanted && decoder.errors == 0
        } catch { return false }
    }
}
