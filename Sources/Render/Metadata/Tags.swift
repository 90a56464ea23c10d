// Metadata with trimd's own key names, independent of the container; which entries are copied, and which a user sets. Pure.
internal import Media
internal import MediaTime

/// Metadata independent of any container.
struct Tags: Hashable, Sendable {
    /// Values by name: that of a known key, or a container's own.
    var values: [String: String] = [:]
    /// Names of source entries that are left out on request.
    var withheld: [String] = []

    /// Keys that describe the old file's bytes, or that a container writes itself.
    private static let technical: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "handler_name", "vendor_id", "itunsmpb",
        "itunnorm", "encoder", "timecode", "duration", "bps", "number_of_frames", "number_of_bytes", "cdec",
        "com.apple.quicktime.artwork",
        // MXF.
        "application_platform", "company_name", "generation_uid", "material_package_umid",
        "operational_pattern_ul", "product_name", "product_uid", "product_version", "product_version_num",
        "toolkit_version_num", "uid",
    ]

    /// No metadata.
    init() {}

    /// The metadata of an asset.
    init(_ items: [MetadataItem]) {
        // QuickTime's newer form overrides the older one, which repeats it.
        for item in items.sorted(by: { ($0.space.rank, $0.key) < ($1.space.rank, $1.key) }) {
            let name = Tags.name(item)
            let lower = item.key.lowercased()
            guard !Tags.technical.contains(lower), !lower.hasPrefix("_statistics"), !item.value.isEmpty else {
                continue
            }
            if values[name] == nil { values[name] = item.value }
        }
        // FFmpeg reports entries with a language twice, as `title` and as `title-eng`.
        for name in Array(values.keys) {
            let parts = name.split(separator: "-")
            if parts.count == 2, parts[1].count == 3, values[String(parts[0])] == values[name] {
                values[name] = nil
            }
        }
    }

    /// The name under which an item is copied.
    private static func name(_ item: MetadataItem) -> String {
        // FFmpeg maps the Vorbis comment DESCRIPTION to `comment`, and leaves COMMENT unchanged.
        if item.space == .vorbis, item.key == "comment" { return "description" }
        return MetadataKey.named(item.key)?.name ?? item.key
    }

    /// Leaves out what describes the loudness of the audio (ReplayGain, and R128_TRACK_GAIN of RFC 7845, 5.2.1), for audio whose loudness
    /// is changed.
    /// - Parameter request: what it sets stays.
    /// - Returns: the names, in order.
    mutating func dropLoudness(except request: MetadataRequest?) -> [String] {
        let set = Set((request?.items ?? [:]).keys.map { MetadataKey.named($0)?.name ?? $0 })
        let gone = values.keys.filter { name in
            let lower = name.lowercased()
            return (lower.hasPrefix("replaygain_") || lower.hasPrefix("r128_")) && !set.contains(name)
        }.sorted()
        for name in gone { values[name] = nil }
        return gone
    }

    /// The metadata of an output.
    /// - Parameters:
    ///   - start: the in point. The time reference advances by it, and creation dates where that is asked for.
    ///   - rate: samples per second of the source's audio, in which the time reference counts from midnight (EBU Tech 3285).
    init(_ items: [MetadataItem], _ request: MetadataRequest?, start: Time, rate: Int? = nil) {
        self.init(items)
        for (name, value) in values where name.lowercased() == "time_reference" {
            guard let rate, let samples = Int64(value) else { continue }
            let passed = start.multiplied(by: Int64(rate), over: 1).converted(
                to: 1, rounding: .halfAwayFromZero)
            let (sum, isTooLarge) = samples.addingReportingOverflow(passed.value)
            if !isTooLarge { values[name] = "\(sum)" }
        }
        switch request?.policy ?? .keep {
        case .keep: break
        case .strip:
            withheld = values.keys.sorted()
            values = [:]
        case .sharing:
            withheld = values.keys.filter { name in
                guard let key = MetadataKey.named(name), key.isShared else { return true }
                return key.isDate && request?.keepsDates != true
            }.sorted()
            for name in withheld { values[name] = nil }
        }
        if request?.advancesDate == true {
            for name in ["creation_time", "date"] {
                values[name] = values[name].map { CalendarTime($0)?.advanced(by: start).description ?? $0 }
            }
        }
        for (name, value) in request?.items ?? [:] {
            let key = MetadataKey.named(name)
            let name = key?.name ?? name
            if value.isEmpty {
                values[name] = nil
            } else {
                values[name] =
                    switch key?.form {
                    case .rating: ContentRating.text(value) ?? value
                    case .moment: DateSpelling(value)?.moment ?? value
                    default: value
                    }
            }
        }
    }
}

extension Tags {
    /// Adds the language of the single track, unless it is already given or was to be left out.
    mutating func add(language: String?, _ request: MetadataRequest?) {
        let isSet = (request?.items ?? [:]).keys.contains { MetadataKey.named($0)?.name == "language" }
        guard let language, values["language"] == nil, !isSet else { return }
        values["language"] = language
    }
}

extension KeySpace {
    /// The priority of a space where several have a key; lower first.
    fileprivate var rank: Int { self == .quickTimeMetadata ? 0 : 1 }
}
