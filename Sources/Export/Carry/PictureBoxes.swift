// What a movie's header says of pictures, and FFmpeg neither tells nor writes: Dolby Vision, the light around the viewer,
// another eye's view, pictures all around. Taken over as it stands, where it is still true of the output.
internal import Media

/// Boxes of a track of pictures, with their headers.
struct PictureBoxes: Sendable {
    /// Of the entry that describes the samples.
    let entry: [Box]
    /// Of the track: Google's XML of spherical video, version 1.
    let projection: Box?
    private let track: Track

    /// Boxes of a sample entry, by what they are about.
    enum Subject: CaseIterable {
        case dolbyVision, ambience, secondView, projection

        var names: Set<String> {
            switch self {
            case .dolbyVision: ["dvcC", "dvvC", "dvwC"]
            case .ambience: ["amve"]
            case .secondView: ["lhvC", "vexu", "hfov"]
            case .projection: ["st3d", "sv3d"]
            }
        }
    }

    /// What is known of a track; nil where there is nothing.
    init?(_ track: Track, _ facts: MovieBoxes.TrackFacts?) {
        self.track = track
        entry = facts?.pictureBoxes ?? []
        projection = facts?.projectionBox
        let isPlain = track.video?.dolbyVision == nil && track.video?.projection == nil
        if entry.isEmpty, projection == nil, isPlain { return nil }
    }

    /// How many bytes they have.
    var size: Int { (entry + [projection].compactMap(\.self)).reduce(0) { $0 + $1.bytes.count } }

    /// Dolby Vision's metadata of each picture goes along: in NAL units, which ends that are encoded get too. An enhancement
    /// layer, and what AV1 says, is lost there.
    static func keepsDolbyVision(_ track: Track, hasEdges: Bool) -> Bool {
        guard let format = track.video, let vision = format.dolbyVision else { return false }
        return !hasEdges || ["h264", "hevc"].contains(track.codec) && !vision.hasEnhancementLayer
    }

    /// What is true of an output's track, and what of the source is not kept there, with the reason.
    func carried(_ result: TrackResult, _ fileType: FileType) -> (
        kept: Set<Subject>, lost: [(String, String)]
    ) {
        var kept: Set<Subject> = []
        var lost: [(String, String)] = []
        let isEncoded = result.way == .encode
        let hasEdges = result.framesEncoded > 0
        let encoded = isEncoded ? "the pictures are encoded" : "pictures at the cuts are encoded"
        if let vision = track.video?.dolbyVision {
            if isEncoded || !PictureBoxes.keepsDolbyVision(track, hasEdges: hasEdges) {
                lost.append(("Dolby Vision \(vision.name)", "\(encoded); what is shown without it stays"))
            } else if fileType.hasEditLists || fileType == .mkv {
                kept.insert(.dolbyVision)
            } else {
                lost.append(("Dolby Vision \(vision.name)", ".\(fileType.rawValue) does not say it"))
            }
        }
        if holds(.secondView) {
            if isEncoded || hasEdges {
                lost.append(("the second view", "\(encoded), and FFmpeg encodes one view"))
            } else if fileType.hasEditLists {
                kept.insert(.secondView)
            } else {
                lost.append(("the second view", ".\(fileType.rawValue) has no place for it"))
            }
        }
        if !isEncoded { kept.insert(.ambience) }
        if let format = track.video, format.projection != nil || projection != nil {
            // Turned or cropped, they would not lie on the sphere as it is said.
            if isEncoded, format.rotation != 0 || format.crop != nil {
                lost.append(("the projection", "the pictures are turned or cropped"))
            } else if fileType.hasEditLists || fileType == .mkv && !isEncoded
                || fileType == .webm && !isEncoded
            {
                kept.insert(.projection)
            } else {
                lost.append(("the projection", ".\(fileType.rawValue) is not told of it"))
            }
        }
        return (kept, lost)
    }

    /// Puts what is kept into a track that was written.
    func write(_ kept: Set<Subject>, into output: inout Box) {
        let names = kept.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        output.extendEntry(by: entry.filter { names.contains($0.name) })
        if kept.contains(.projection), let projection { output.children?.append(projection) }
    }

    private func holds(_ subject: Subject) -> Bool { entry.contains { subject.names.contains($0.name) } }
}

extension Box {
    /// Adds boxes to the entry that describes a track's pictures, but those it has.
    mutating func extendEntry(by boxes: [Box]) {
        // The table's head has 8 bytes, an entry of pictures 86 before its boxes (ISO/IEC 14496-12, 12.1.3).
        guard var media = self["mdia"], var info = media["minf"], var table = info["stbl"],
            var entries = table["stsd"], entries.body.count >= 8 + 86,
            let entry = Box.list(entries.body.dropFirst(8))?.first, entry.body.count >= 78
        else { return }
        let present = Set((Box.list(entry.body.dropFirst(78)) ?? []).map(\.name))
        let added = boxes.filter { !present.contains($0.name) }
        guard !added.isEmpty else { return }
        let extended = Box(type: entry.type, entry.body + added.flatMap(\.bytes))
        entries.body = Array(entries.body.prefix(8)) + extended.bytes
        table["stsd"] = entries
        info["stbl"] = table
        media["minf"] = info
        self["mdia"] = media
    }
}
