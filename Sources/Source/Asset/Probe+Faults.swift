// Finds anomalies and faults of a file in its headers and first packets.
package import Libav
package import Media
internal import MediaTime

extension Probe {
    package static func faults(
        _ asset: Asset, _ sample: PacketSample, _ demuxer: Demuxer, _ source: SourceFile, end: Int64?
    ) -> [Fault] {
        var faults = source.faults(ofHoles: asset.start)
        if asset.duration == nil {
            faults.append(Fault(.missingDuration, "the container does not say how long it is"))
        } else if demuxer.isDurationEstimated, !asset.isCounted {
            faults.append(Fault(.estimatedDuration, "the duration is estimated from the bit rate"))
        }
        if let last = demuxer.lastIndexedByte, last > source.size {
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, index refers to \(last)"
                ))
        } else if let end, end > source.size {
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, \(Probe.parts(demuxer.format)) extend to \(end)"
                ))
        } else if demuxer.format == "flac", let found = FLACEnd(source), found.samples < found.total {
            let (end, total) = found.times
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, its frames end at \(end.clock()) of \(total.clock())"
                ))
        } else if let broken = sample.broken {
            faults.append(Fault(.truncated, "the file breaks off: \(broken)"))
        }
        for track in asset.tracks where track.kind == .video || track.kind == .audio {
            let index = track.index
            if track.isProtected {
                faults.append(Fault(.encrypted, "the samples are encrypted", track: index))
            }
            if let start = track.start, start > .zero, track.kind == .video || start > Time(1, 10) {
                faults.append(Fault(.lateTrack, "it begins at \(start.clock())", track: index))
            }
            if let edit = track.edits?.first(where: { $0.mediaTime != nil && $0.rate != Ratio(1) }) {
                faults.append(
                    Fault(
                        .editRate,
                        "its edit list plays media at a rate of \(edit.rate), which is not applied: it is read at its own rate",
                        track: index))
            }
            guard track.video != nil, !track.isPicture else { continue }
            if sample.openGOP.contains(index) {
                faults.append(
                    Fault(
                        .openGOP, "frames refer to frames before the keyframe they follow (open GOP)",
                        track: index))
            }
            if sample.untimed.contains(index) {
                faults.append(Fault(.noTimestamps, "the samples have no times", track: index))
            }
            if let first = sample.firstKey[index], first > 0 {
                faults.append(
                    Fault(
                        .noInitialKeyframe,
                        "the first keyframe is packet \(first): what is before cannot be decoded",
                        track: index))
            }
        }
        return faults
    }

    /// The word for what a container consists of.
    private static func parts(_ format: String) -> String {
        switch format {
        case "ogg": "pages"
        case "mp3": "frames"
        case let name where name.contains("matroska"): "elements"
        case let name where name.contains("mov"): "boxes"
        default: "chunks"
        }
    }
}
