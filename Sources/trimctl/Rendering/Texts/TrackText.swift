// Formats one track of an asset: its format on the first line, its timing and storage on the second. Text only.
internal import Media
internal import MediaTime

/// Formats a track.
enum TrackText {
    /// The lines of a track.
    static func lines(_ track: Track) -> [String] {
        var lines = [format(track), storage(track)]
        if let title = track.title { lines.append("title: \(title.oneLine)") }
        if let edits = track.edits, !edits.isEmpty {
            lines.append("edit list: \(edits.map(edit).joined(separator: "; "))")
        }
        if let count = track.frameCount {
            lines.append("exactly \(Units.count(count, track.kind == .video ? "frame" : "packet"))")
        }
        if let samples = track.syncSamples {
            lines.append(sync(samples))
        } else if let keyframes = track.keyframes {
            lines.append(
                "\(Units.count(keyframes.count, "keyframe")): \(keyframes.map(Units.seconds).joined(separator: " "))"
            )
        }
        return lines.filter { !$0.isEmpty }
    }

    /// All sync samples, each with its kind where the kinds differ.
    private static func sync(_ samples: [SyncSample]) -> String {
        let kinds = Set(samples.map(\.kind))
        let all = kinds.count == 1 ? kinds.first.map { ", all \($0.rawValue)" } ?? "" : ""
        let words = samples.map { sample in
            let facts =
                (kinds.count > 1 ? [sample.kind.rawValue] : [])
                + (sample.leading.map { ["\($0) leading"] } ?? [])
            return Units.seconds(sample.time) + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
        }
        return "\(Units.count(samples.count, "keyframe"))\(all): \(words.joined(separator: " "))"
    }

    private static func format(_ track: Track) -> String {
        let codec = [track.codec, track.profile, track.level].compactMap(\.self).joined(separator: " ")
        let tag = track.codecTag.map { $0.isEmpty || $0 == track.codec ? "" : " (\($0))" } ?? ""
        var parts = ["\(track.kind.rawValue) \(codec)\(tag)"]
        if track.isProtected { parts.append("encrypted") }
        if let role = track.role { parts.append(role.rawValue) }
        if let video = track.video { parts += self.video(video, isPicture: track.isPicture) }
        if let audio = track.audio {
            parts += [
                "\(audio.sampleRate) Hz",
                audio.channelLayout.isEmpty ? "\(audio.channels) channels" : audio.channelLayout,
            ]
            if let format = audio.sampleFormat { parts.append(format) }
        }
        let isMedia = track.kind == .video || track.kind == .audio
        if isMedia, !track.isDecodable, !track.isProtected {
            parts.append(track.obstacle == .unknownFormat ? "format unknown" : "no decoder")
        }
        return parts.joined(separator: ", ")
    }

    private static func video(_ video: VideoFormat, isPicture: Bool) -> [String] {
        var parts = ["\(video.width)x\(video.height)"]
        if video.sampleAspect != Ratio(1) {
            parts.append("pixels \(video.sampleAspect.numerator):\(video.sampleAspect.denominator)")
        }
        if let crop = video.crop { parts.append("clean aperture \(crop.width)x\(crop.height)") }
        if video.rotation != 0 { parts.append("rotation \(video.rotation) degrees") }
        if video.isMirrored { parts.append("mirrored") }
        if !isPicture {
            if let rate = video.frameRate {
                parts.append("\(Units.rate(rate)) frames/s\(video.isVariable ? ", variable" : "")")
            }
            switch video.fieldOrder {
            case .topFieldFirst: parts.append("interlaced, top field first")
            case .bottomFieldFirst: parts.append("interlaced, bottom field first")
            case .progressive, .unknown: break
            }
            if video.fieldCoding != nil { parts.append("fields coded apart") }
        }
        let pixels = [video.pixelFormat, "\(video.bitDepth) bit"].compactMap(\.self).joined(separator: " ")
        parts.append(pixels + (video.hasAlpha ? " with alpha" : ""))
        parts += color(video.color)
        if let vision = video.dolbyVision { parts.append("Dolby Vision \(vision.name)") }
        if video.hasSecondView == true { parts.append("two views (MV-HEVC)") }
        if let projection = video.projection { parts.append("spherical (\(projection))") }
        return parts
    }

    private static func color(_ color: Color) -> [String] {
        var parts: [String] = []
        let names = [color.primaries, color.transfer, color.matrix].map { $0 ?? "?" }
        if names.contains(where: { $0 != "?" }) {
            parts.append(Set(names).count == 1 ? names[0] : names.joined(separator: "/"))
        }
        if color.range == "pc" { parts.append("full range") }
        switch color.dynamicRange {
        case "hdr10": parts.append("HDR10")
        case "pq": parts.append("HDR (PQ)")
        case "hlg": parts.append("HDR (HLG)")
        case let name?: parts.append("HDR (\(name))")
        case nil: break
        }
        if let light = color.contentLight, light.count == 2 {
            parts.append("light level \(light[0])/\(light[1]) cd/m2")
        }
        return parts
    }

    private static func storage(_ track: Track) -> String {
        var parts: [String] = []
        if let language = track.language { parts.append(language) }
        parts += track.dispositions
        if let rate = track.bitRate { parts.append(Units.bitRate(rate)) }
        if let samples = track.samples {
            let name = track.video?.fieldCoding == .separateSamples ? "fields" : "frames"
            parts.append("\(samples) \(track.kind == .video ? name : "packets")")
        }
        if let start = track.start, start != .zero { parts.append("begins at \(Units.clock(start))") }
        if let duration = track.duration { parts.append("lasts \(Units.clock(duration))") }
        if let priming = track.audio?.priming, priming > 0 {
            parts.append("priming of \(Units.count(priming, "sample"))")
        }
        parts.append("time base \(track.timebase)")
        return parts.joined(separator: ", ")
    }

    private static func edit(_ edit: Edit) -> String {
        let rate = edit.rate == Ratio(1) ? "" : " at rate \(edit.rate)"
        guard let media = edit.mediaTime else { return "nothing for \(Units.seconds(edit.duration)) s" }
        return "from \(Units.seconds(media)) s for \(Units.seconds(edit.duration)) s\(rate)"
    }
}
