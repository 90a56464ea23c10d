// The file type of an asset: what an output of the same kind is called. Pure.
internal import Text

extension FileType {
    /// The file type of an asset; nil if trimd does not write it.
    public init?(of asset: Asset) {
        let formats = asset.container.format.split(separator: ",").map(String.init)
        let hasVideo = asset.mainVideo != nil
        let codecs = Set(asset.tracks.filter { $0.kind == .video || $0.kind == .audio }.map(\.codec))
        switch formats.first {
        case "mov":
            switch asset.container.brand {
            case "qt  ": self = .mov
            case "M4V ", "M4VH", "M4VP": self = .m4v
            case let brand? where brand.hasPrefix("3g"): self = .threeGP
            default: self = hasVideo ? .mp4 : .m4a
            }
        case "matroska":
            let isWebM = codecs.isSubset(of: ["vp8", "vp9", "av1", "opus", "vorbis"])
            // Audio alone may be in a file that is named as films are.
            self =
                hasVideo
                ? isWebM ? .webm : .mkv : FileType.named(asset, isWebM ? [.webm, .mkv] : [.mkv]) ?? .mka
        case "mpegts": self = FileType.named(asset, [.m2ts, .mts]) ?? .ts
        case "ogg":
            self = hasVideo ? .ogv : codecs == ["opus"] ? FileType.named(asset, [.ogg]) ?? .opus : .ogg
        case let format?: self.init(format: format)
        case nil: return nil
        }
    }

    /// The type of a container that has one.
    private init?(format: String) {
        switch format {
        case "mp3", "flac", "wav", "aac", "aiff", "caf", "avi", "mxf", "ivf": self.init(rawValue: format)
        case "w64": self = .wav
        default: return nil
        }
    }

    /// The one of these types that an asset's file is named as.
    private static func named(_ asset: Asset, _ types: [FileType]) -> FileType? {
        let own = asset.fileName?.pathNames.last?.split(separator: ".").last?.lowercased()
        return types.first { $0.rawValue == own }
    }
}
