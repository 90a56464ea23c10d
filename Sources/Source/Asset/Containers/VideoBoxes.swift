// Video properties in a movie's header that FFmpeg neither reports nor writes: Dolby Vision, ambient viewing environment, stereo
// and spherical video. Copied unchanged if still true of the output. Values; MovieBoxes reads them, MovieEdit writes them.
// Does not read samples.
internal import Codecs
package import ISOMedia
package import Media

/// Boxes of a video track, with their headers.
package struct VideoBoxes: Sendable {
    /// From the sample entry.
    package let entry: [Box]
    /// From the track: Google's XML of Spherical Video V1.
    package let projection: Box?
    /// Encoded frames are cropped or rotated by an option.
    private let isEdited: Bool
    private let track: Track

    /// Boxes of a sample entry, by subject.
    package enum Subject: CaseIterable {
        case dolbyVision, ambience, secondView, projection

        package var names: Set<String> {
            switch self {
            case .dolbyVision: ["dvcC", "dvvC", "dvwC"]
            case .ambience: ["amve"]
            case .secondView: ["lhvC", "vexu", "hfov"]
            case .projection: ["st3d", "sv3d"]
            }
        }
    }

    /// The boxes of a track; nil if there are none.
    package init?(_ track: Track, _ facts: MovieBoxes.TrackFacts?, _ edit: FrameEdit) {
        self.track = track
        isEdited = edit != FrameEdit()
        entry = facts?.videoBoxes ?? []
        projection = facts?.projectionBox
        let isPlain = track.video?.dolbyVision == nil && track.video?.projection == nil
        if entry.isEmpty, projection == nil, isPlain { return nil }
    }

    /// Their size in bytes.
    package var size: Int { (entry + [projection].compactMap(\.self)).reduce(0) { $0 + $1.bytes.count } }

    /// Whether Dolby Vision's per-frame metadata is kept: in NAL units, which encoded head and tail also get. An enhancement
    /// layer, and AV1's metadata, would be lost there.
    package static func keepsDolbyVision(_ track: Track, hasHeadOrTail: Bool) -> Bool {
        guard let format = track.video, let vision = format.dolbyVision else { return false }
        return !hasHeadOrTail || track.videoCodec is any NALCodec.Type && !vision.hasEnhancementLayer
    }

    /// The subjects that are true of an output's track, and those not kept, with the reason.
    package func carried(_ result: TrackResult, _ fileType: FileType) -> (
        kept: Set<Subject>, lost: [(what: String, why: String)]
    ) {
        var kept: Set<Subject> = []
        var lost: [(what: String, why: String)] = []
        for subject in Subject.allCases where isSaid(subject) {
            if let why = obstacle(subject, result, fileType) {
                if let what = name(subject) { lost.append((what, why)) }
            } else {
                kept.insert(subject)
            }
        }
        return (kept, lost)
    }

    /// Why an output lacks a subject; nil: it has it.
    private func obstacle(_ subject: Subject, _ result: TrackResult, _ fileType: FileType) -> String? {
        let isEncoded = result.way == .encode
        let hasHeadOrTail = result.framesEncoded > 0
        let encoded = isEncoded ? "the video is encoded" : "frames at the cuts are encoded"
        switch subject {
        case .dolbyVision
        where isEncoded || !VideoBoxes.keepsDolbyVision(track, hasHeadOrTail: hasHeadOrTail):
            return "\(encoded); the base layer stays"
        case .secondView where isEncoded || hasHeadOrTail: return "\(encoded), and FFmpeg encodes one view"
        case .ambience where isEncoded: return encoded
        // Rotated or cropped, the frame would no longer match the projection.
        case .projection
        where isEncoded && (isEdited || track.video?.rotation != 0 || track.video?.crop != nil):
            return "the video is rotated or cropped"
        default: break
        }
        if fileType.isISOMedia, holds(subject) { return nil }
        // FFmpeg writes the boxes it knows for copied video itself; for encoded video it does not know them.
        let isWrittenForCopies = !isEncoded && (subject == .dolbyVision || subject == .projection)
        let writes = fileType == .mp4 || fileType == .mkv || fileType == .webm && subject == .projection
        return isWrittenForCopies && writes ? nil : "FFmpeg does not write it into .\(fileType.rawValue)"
    }

    /// Whether the source has it.
    private func isSaid(_ subject: Subject) -> Bool {
        switch subject {
        case .dolbyVision: track.video?.dolbyVision != nil
        case .projection: track.video?.projection != nil || holds(subject)
        case .ambience, .secondView: holds(subject)
        }
    }

    /// The name shown to users; nil: its loss is not reported.
    private func name(_ subject: Subject) -> String? {
        switch subject {
        case .dolbyVision: track.video?.dolbyVision.map { "Dolby Vision \($0.name)" }
        case .ambience: nil
        case .secondView: "the second view"
        case .projection: "the projection"
        }
    }

    /// Adds the kept boxes to a written track.
    package func write(_ kept: Set<Subject>, into output: inout Box) {
        let names = kept.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        output.extendEntry(by: entry.filter { names.contains($0.name) })
        if kept.contains(.projection), let projection { output.children?.append(projection) }
    }

    private func holds(_ subject: Subject) -> Bool {
        entry.contains { subject.names.contains($0.name) } || subject == .projection && projection != nil
    }
}

extension Box {
    /// Adds boxes to a track's video sample entry, except those it has.
    package mutating func extendEntry(by boxes: [Box]) {
        // The table's header has 8 bytes, a video sample entry 86 before its boxes (ISO/IEC 14496-12, 12.1.3).
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
