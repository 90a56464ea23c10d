// Divides a planned export into units: chunks of the video, each with an estimate of its memory, and the audio tracks that are
// encoded. Reads the times of the source's packets and decodes its first frame; writes nothing. Runs on the caller's thread.
package import Libav
package import Media
internal import MediaTime
internal import Source
internal import Text

/// The division of a planned export into units.
package struct ExportDivision {
    let source: SourceFile
    /// The file of subtitles to draw.
    var subtitles: SourceFile?
    let request: ExportRequest
    let division: UnitDivision

    /// Creates a value of its parts.
    package init(
        source: SourceFile, subtitles: SourceFile? = nil, request: ExportRequest, division: UnitDivision
    ) {
        (self.source, self.subtitles, self.request, self.division) = (source, subtitles, request, division)
    }

    /// Encoders whose streams can be joined at sync samples.
    private static let encoders: Set = [
        "libx264", "libx265", "libsvtav1", "libaom-av1", "libvpx-vp9", "prores_ks",
    ]

    /// The chunks of a plan's video; nil: it is encoded as one.
    /// - Parameter isShared: they share bits.
    package func chunks(_ plan: ExportPlan, isShared: Bool) throws(MediaError) -> [Chunk]? {
        guard let video = plan.video, ExportDivision.encoders.contains(video.settings.encoder),
            let frames = try FrameScan(source: source, track: video.track, origin: plan.origin).frames(
                plan.segments)
        else { return nil }
        return ChunkPlanner(
            plan: video, segments: plan.segments, frames: frames,
            seconds: division.seconds ?? (isShared ? ExportDivision.shared : nil)
        ).chunks()
    }

    /// The units of a plan; nil: it is made as one.
    /// - Parameters:
    ///   - render: the render mode it was planned with.
    ///   - sharing: where the chunks share bits.
    ///   - warnings: of its preparation.
    package func units(
        _ plan: ExportPlan, isFallback: Bool, render: RenderMode, sharing: SharedBits?, warnings: [Warning]
    ) throws(MediaError) -> UnitPlan? {
        guard let video = plan.video, let chunks = try chunks(plan, isShared: sharing != nil),
            let color = try color(of: plan)
        else { return nil }
        let audio = plan.audio.compactMap { track -> AudioPlan? in
            if case .encode(let plan) = track { plan } else { nil }
        }
        let divided = DividedExport(
            build: LibavBuild.identity, processor: plan.isReproducible ? LibavBuild.processor : nil,
            origin: plan.origin, segments: plan.segments, fileType: plan.fileType,
            video: video, color: color, audio: audio, strict: request.strict, isFallback: isFallback,
            render: render, warnings: warnings,
            chunks: chunks.count,
            mayUseThreads: chunks.count < ExportDivision.few && !plan.isReproducible, sharing: sharing)
        let making = UnitNumbering(divided)
        var units: [ExportUnit] = []
        for (number, chunk) in chunks.enumerated() {
            var chunk = chunk
            if number > 0, video.decoderBuffer != nil { chunk.buffered = ExportDivision.buffered }
            if sharing?.stage == .analysing {
                units += [try making.pending(number, chunk), try making.statistics(number, chunk)]
            } else {
                units.append(try making.video(number, chunk))
            }
        }
        let length = Double(chunks.reduce(0) { $0 + making.seconds($1) })
        units += try audio.map { (plan) throws(MediaError) in try making.audio(plan, seconds: length) }
        units.sort { $0.number < $1.number }
        return UnitPlan(
            plan: try UnitCoding.value(divided), fingerprint: try fingerprint(divided, units), units: units)
    }

    /// The colours of a plan's video, which all chunks have in common; nil: no frame of it decodes, and it is encoded as one.
    package func color(of plan: ExportPlan) throws(MediaError) -> FoundColor? {
        guard let video = plan.video else { return nil }
        return try FoundColor.find(
            VideoWork(
                plan: video, segments: plan.segments, origin: plan.origin, source: source, strict: false,
                diagnostics: Diagnostics()))
    }

    /// How full the decoder's buffer is assumed to be where a chunk follows another: rate control of a stream at its limit holds it
    /// about half full, so few chunks need another start.
    private static let buffered = 0.5

    /// Seconds of chunks that share bits: encoders miss the rate of a shorter second pass. Of a rate of 200 kbit/s that x264 was
    /// told, chunks of 1 s of noise had 104, those of 2 s 170.
    private static let shared = 10.0

    /// Exports of fewer chunks leave processors idle.
    private static let few = 8

    /// A digest of everything that the bytes of the units depend on; the plan has the builds of the libraries. Paths are not of it: the
    /// next attempt may be on a machine that has the files elsewhere.
    func fingerprint(_ plan: DividedExport, _ units: [ExportUnit]) throws(MediaError) -> String {
        var plan = plan
        // The rates follow from the request and the source, and from what the units show.
        if plan.sharing != nil { (plan.sharing, plan.video.averageBitRate) = (nil, nil) }
        var request = request
        (request.input, request.output.folder, request.output.place, request.reader) = ("", "", nil, nil)
        request.sources = request.sources?.map { SourcePart("", $0.range) }
        request.sourceIdentities = nil
        if request.options?.burnedFile != nil { request.options?.burnSubtitles = "" }
        request.subtitlesIdentity = nil
        if request.metadata?.artwork != nil {
            request.metadata?.artwork = ""
            request.metadata?.artworkPlace = nil
        }
        var bytes =
            try UnitCoding.value(plan).encoded + (try UnitCoding.value(units).encoded)
            + (try UnitCoding.value(request).encoded)
        bytes += Array("\(source.size) \(source.identity)".utf8)
        if let subtitles { bytes += subtitles.bytes(at: 0, count: Int(clamping: subtitles.size)) }
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
        let stored =
            Double((track.video?.width ?? width) * (track.video?.height ?? height)) * 24 * bytesPerPixel
        return (160 << 20) + Int64(Double(width * height) * bytesPerPixel * frames + stored)
    }
}
