// The file type of an asset: what an output of the same kind is called. Pure.
internal import Text

extension FileType {
    /// The file type of an asset: as its file is named where files of its container are, else what the container says; nil if trimd
    /// does not write it.
    public init?(of asset: Asset) {
        let hasVideo = asset.mainVideo != nil
        let codecs = Set(asset.tracks.filter { $0.kind == .video || $0.kind == .audio }.map(\.codec))
        let usual: FileType?
        /// Other names of such files.
        let names: [FileType]
        switch asset.container.format.split(separator: ",").first.map(String.init) {
        case "mov":
            names = [.mp4, .m4v, .mov, .threeGP] + (hasVideo ? [] : [.m4a, .m4b, .m4r])
            switch asset.container.brand {
            case "qt  ": usual = .mov
            case "M4V ", "M4VH", "M4VP": usual = .m4v
            case "M4B ": usual = hasVideo ? .mp4 : .m4b
            case let brand? where brand.hasPrefix("3g"): usual = .threeGP
            default: usual = hasVideo ? .mp4 : .m4a
            }
        case "matroska":
            let isWebM = codecs.isSubset(of: ["vp8", "vp9", "av1", "opus", "vorbis"])
            usual = hasVideo ? isWebM ? .webm : .mkv : .mka
            // Audio alone may be in a file that is named as films are.
            names = hasVideo ? [] : isWebM ? [.webm, .mkv] : [.mkv]
        case "mpegts": (usual, names) = (.ts, [.m2ts, .mts])
        case "mpeg": (usual, names) = (.mpg, [.vob])
        case "ogg":
            usual = hasVideo ? .ogv : codecs == ["opus"] ? .opus : .ogg
            names = hasVideo ? [] : codecs == ["speex"] ? [.ogg, .oga, .spx] : [.ogg, .oga]
        case "aiff": (usual, names) = (.aiff, [.aif])
        case "mp3": (usual, names) = (codecs == ["mp2"] ? .mp2 : .mp3, [])
        case let format?: (usual, names) = (FileType(format: format), [])
        case nil: return nil
        }
        let own = asset.fileName.flatMap(FileType.init(ofName:))
        guard let type = names.first(where: { $0 == own }) ?? usual else { return nil }
        self = type
    }

    /// The type of a container that has one.
    private init?(format: String) {
        switch format {
        case "flac", "wav", "w64", "aac", "ac3", "eac3", "dts", "amr", "au", "caf", "wv", "tta", "flv", "avi",
            "mxf", "ivf":
            self.init(rawValue: format)
        default: return nil
        }
    }
}
