// The steps of an export that is made in units: dividing it, making one unit, and joining them. Each runs in a process of its own, on
// the caller's thread.
internal import Glibc
internal import Libav
public import Media
public import MediaTime
public import Text

extension Exporter {
    /// Encoders whose streams can be joined at sync samples.
    static let dividedEncoders: Set = [
        "libx264", "libx265", "libsvtav1", "libaom-av1", "libvpx-vp9", "prores_ks",
    ]

    /// Makes one unit of an export.
    /// - Parameters:
    ///   - plan: the common part of the export's plan.
    ///   - output: the unit's own file, empty.
    public func make(
        _ unit: ExportUnit, plan: JSONValue, output: Int32, progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        return try UnitMaker(source: source, divided: divided, unit: unit).run(
            output: SourceFile(descriptor: output, name: "unit \(unit.number)"), progress: progress)
    }

    /// Joins the units of an export to its output.
    /// - Parameters:
    ///   - plan: the common part of the export's plan.
    ///   - files: the units' files, in the order of the units.
    ///   - output: open for reading and writing, empty.
    public func join(
        _ units: [ExportUnit], _ reports: [UnitReport], plan: JSONValue, files: [Int32], output: Int32,
        planned: (Int64?, Time?) -> Void = { _, _ in }, progress: @escaping @Sendable (Progress) -> Void,
        log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        guard let export = divided.isFallback ? encoding : self else {
            return .whole("the request has no fallback any more")
        }
        progress(Progress(fraction: 0, phase: .preparing))
        let joined = try JoinedUnits(
            divided, units, reports,
            files: zip(units, files).map { SourceFile(descriptor: $1, name: "unit \($0.number)") })
        if let misfit = joined.misfit { return .whole(misfit) }
        guard joined.corrections.isEmpty else {
            log("\(joined.corrections.count) chunks are encoded again: their predecessors leave the decoder's buffer emptier")
            return .units(UnitPlan(plan: plan, fingerprint: "", units: joined.corrections))
        }
        let ready = try export.prepare(Diagnostics())
        let diagnostics = Diagnostics()
        diagnostics.merge(divided.warnings.map { CountedWarning(warning: $0, count: 1) })
        diagnostics.merge(joined.warnings)
        var attempt = RenderAttempt(export, ready, output: output)
        let meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
        do throws(AttemptFailure) {
            var result = try attempt.run(
                RenderStrategy.Way(render: divided.render), diagnostics, meter: meter, planned: planned, log: log,
                units: (divided, joined))
            if divided.isFallback { result.preset = export.request.preset.id }
            return .finished(result)
        } catch {
            switch error {
            case .other(let error): throw error
            case .unitsDiffer(let reason): return .whole(reason)
            case .reordering, .orderUnknown, .mismatch, .unsuitableSize: return .whole(error.error.message)
            }
        }
    }
}

/// The division of a planned export into units.
struct ExportDivision {
    let source: SourceFile
    let request: ExportRequest
    let division: UnitDivision

    /// The units of a plan; nil: it is made as one.
    /// - Parameters:
    ///   - render: the render mode it was planned with.
    ///   - warnings: of its preparation.
    func units(
        _ plan: ExportPlan, isFallback: Bool, render: RenderMode, warnings: [Warning]
    ) throws(MediaError) -> UnitPlan? {
        guard let video = plan.video, Exporter.dividedEncoders.contains(video.settings.encoder),
            let frames = try FrameScan(source: source, track: video.track, origin: plan.origin).frames(plan.segments),
            let chunks = ChunkPlanner(
                plan: video, segments: plan.segments, frames: frames, seconds: division.seconds
            ).chunks()
        else { return nil }
        let work = VideoWork(
            plan: video, segments: plan.segments, origin: plan.origin, source: source, strict: false,
            diagnostics: Diagnostics())
        guard let color = try FoundColor.find(work) else { return nil }
        let audio = plan.audio.compactMap { track -> AudioPlan? in
            if case .encode(let plan) = track { plan } else { nil }
        }
        let divided = DividedExport(
            origin: plan.origin, segments: plan.segments, fileType: plan.fileType, video: video, color: color,
            audio: audio, strict: request.strict, isFallback: isFallback, render: render, warnings: warnings)
        var units: [ExportUnit] = []
        let mayUseThreads = chunks.count < ExportDivision.few
        for (number, chunk) in chunks.enumerated() {
            let ticks = chunk.shown.upperBound - chunk.shown.lowerBound
            units.append(
                ExportUnit(
                    number: number, kind: .video, work: try UnitCoding.value(UnitWork.video(chunk)),
                    seconds: video.timebase.time(ofTicks: ticks).seconds, memory: video.memory,
                    mayUseThreads: mayUseThreads))
        }
        let length = units.reduce(0) { $0 + $1.seconds }
        for audio in audio {
            units.append(
                ExportUnit(
                    number: units.count, kind: .audio,
                    work: try UnitCoding.value(UnitWork.audio(track: audio.track.index)), seconds: length,
                    memory: 128 << 20))
        }
        let common = try UnitCoding.value(divided)
        return UnitPlan(plan: common, fingerprint: try fingerprint(common, units), units: units)
    }

    /// Exports of fewer chunks leave processors idle.
    private static let few = 8

    /// A digest of everything that the bytes of the units depend on.
    private func fingerprint(_ plan: JSONValue, _ units: [ExportUnit]) throws(MediaError) -> String {
        var bytes = plan.encoded + (try UnitCoding.value(units).encoded) + (try UnitCoding.value(request).encoded)
        bytes += Array("\(source.size) \(source.identity) \(LibavBuild.versions)".utf8)
        return try media(.outOfMemory) { () throws(LibavError) in try Digest.sha256(bytes) }
    }
}

extension VideoPlan {
    /// An estimate of the memory that encoding a chunk of it takes, in bytes.
    var memory: Int64 {
        let bytesPerPixel = settings.isDeep ? 3.0 : 1.5
        let frames: Double =
            switch settings.encoder {
            case "libx264": 90
            case "libx265": 70
            case "libsvtav1": 160
            case "libaom-av1", "libvpx-vp9": 60
            default: 12
            }
        let stored = Double((track.video?.width ?? width) * (track.video?.height ?? height)) * 24 * bytesPerPixel
        return (160 << 20) + Int64(Double(width * height) * bytesPerPixel * frames + stored)
    }
}
