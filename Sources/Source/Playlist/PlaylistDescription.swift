// The facts that a playlist has of its film besides the media, for the answer of the probe: interstitials, variants and renditions. Pure.
public import Media
internal import MediaTime
internal import Playlists

extension PlaylistSource {
    /// Adds what the playlist says to the asset that was read of it.
    public func describe(_ asset: inout Asset) {
        guard let media else { return }
        asset.interstitials = media.interstitials.map(Interstitial.init)
        asset.faults += media.problems.map { problem in
            Fault(.playlistMark, "\(mediaName), \(problem)")
        }
        guard let choice else { return }
        asset.variants = choice.list.variants.enumerated().map { index, variant in
            AssetVariant(
                number: index + 1, bitRate: variant.bandwidth, width: variant.width, height: variant.height,
                codecs: variant.codecs, chosen: variant == choice.variant)
        }
        let renditions = choice.list.renditions.map(AssetRendition.init)
        asset.renditions = renditions.isEmpty ? nil : renditions
    }
}

extension Interstitial {
    fileprivate init(_ own: PlaylistInterstitial) {
        let kind: Kind =
            switch own.kind {
            case .interstitial: .interstitial
            case .scte35: .scte35
            case .cue: .cue
            case .part: .part
            }
        let restrict = own.restrictions.map { restriction -> Restriction in
            switch restriction {
            case .skip: .skip
            case .jump: .jump
            }
        }
        self.init(
            start: own.start, duration: own.duration, id: own.id, kind: kind, restrict: restrict,
            stitched: own.isStitched, asset: own.asset)
    }
}

extension AssetRendition {
    fileprivate init(_ own: PlaylistRendition) {
        let kind: Kind =
            switch own.kind {
            case .audio: .audio
            case .video: .video
            case .subtitles: .subtitles
            case .closedCaptions: .closedCaptions
            }
        self.init(
            kind: kind, group: own.group, name: own.name, language: own.language, isDefault: own.isDefault,
            isForced: own.isForced)
    }
}
