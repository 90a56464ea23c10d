// EXT-X-DATERANGE: the attributes that say where an interstitial is. Several tags with one ID describe one range. Pure.

/// A range of dates.
struct DateRangeTag: Hashable {
    let id: String
    var line: Int
    var isInterstitial: Bool
    /// The class; nil: not given.
    var group: String?
    /// Its first moment, in microseconds since 1970.
    var start: Int64?
    var end: Int64?
    /// In microseconds.
    var duration: Int64?, planned: Int64?
    var endsOnNext: Bool
    /// Whether a splice out of the program begins here, and whether one ends.
    var isOut: Bool, isIn: Bool
    /// Whether it is shown before the film, and after it, wherever its date is.
    var isFirst: Bool, isLast: Bool
    var asset: String?
    /// Where the film goes on, counted from the start, in microseconds; nil: after as long as the interstitial is.
    var resumeOffset: Int64?
    var playoutLimit: Int64?
    var restrictions: [PlaylistInterstitial.Restriction]

    private static let interstitialClass = "com.apple.hls.interstitial"

    /// Reads a tag; nil if it is about nothing that interests here.
    init?(_ attributes: PlaylistAttributes) throws(PlaylistError) {
        group = attributes["CLASS"]
        isInterstitial = group == DateRangeTag.interstitialClass
        isOut = attributes["SCTE35-OUT"] != nil
        isIn = attributes["SCTE35-IN"] != nil
        guard isInterstitial || isOut || isIn else { return nil }
        id = try attributes.required("ID", of: "EXT-X-DATERANGE")
        line = attributes.line
        start = try DateRangeTag.date("START-DATE", attributes)
        end = try DateRangeTag.date("END-DATE", attributes)
        duration = try DateRangeTag.seconds("DURATION", attributes)
        planned = try DateRangeTag.seconds("PLANNED-DURATION", attributes)
        endsOnNext = attributes["END-ON-NEXT"] == "YES"
        let cues = Set((attributes["CUE"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
        (isFirst, isLast) = (cues.contains("PRE"), cues.contains("POST"))
        asset = PlaylistInterstitial.shortened(attributes["X-ASSET-URI"] ?? attributes["X-ASSET-LIST"])
        resumeOffset = try DateRangeTag.seconds("X-RESUME-OFFSET", attributes, signed: true)
        playoutLimit = try DateRangeTag.seconds("X-PLAYOUT-LIMIT", attributes)
        let words = (attributes["X-RESTRICT"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        restrictions = PlaylistInterstitial.Restriction.allCases.filter { words.contains($0.rawValue) }
    }

    /// Takes over what a later tag of the same range adds.
    mutating func merge(_ other: DateRangeTag) {
        // A splice back into the program that is dated itself says when the range ends.
        if isOut, other.isIn, !other.isOut, other.duration == nil, other.end == nil, let start,
            let back = other.start, back > start
        {
            end = end ?? back
        }
        isInterstitial = isInterstitial || other.isInterstitial
        (group, start, end) = (group ?? other.group, start ?? other.start, end ?? other.end)
        (duration, planned) = (duration ?? other.duration, planned ?? other.planned)
        endsOnNext = endsOnNext || other.endsOnNext
        (isOut, isIn) = (isOut || other.isOut, isIn || other.isIn)
        (isFirst, isLast) = (isFirst || other.isFirst, isLast || other.isLast)
        asset = asset ?? other.asset
        resumeOffset = resumeOffset ?? other.resumeOffset
        playoutLimit = playoutLimit ?? other.playoutLimit
        if restrictions.isEmpty { restrictions = other.restrictions }
    }

    /// How long it is, in microseconds; nil: not known.
    var length: Int64? {
        let dated = start.flatMap { start in end.map { max(0, $0 - start) } }
        return duration ?? dated ?? planned
    }

    private static func date(_ name: String, _ attributes: PlaylistAttributes) throws(PlaylistError) -> Int64?
    {
        guard let text = attributes[name] else { return nil }
        if let date = PlaylistDate.microseconds(text) { return date }
        throw wrong(name, text, "a date", attributes)
    }

    private static func seconds(
        _ name: String, _ attributes: PlaylistAttributes, signed: Bool = false
    ) throws(PlaylistError) -> Int64? {
        guard let text = attributes[name] else { return nil }
        if signed, text.hasPrefix("-"), let value = DecimalNumber.microseconds(text.dropFirst()) {
            return -value
        }
        if let value = DecimalNumber.microseconds(text) { return value }
        throw wrong(name, text, "a number of seconds", attributes)
    }

    private static func wrong(
        _ name: String, _ text: String, _ what: String, _ attributes: PlaylistAttributes
    ) -> PlaylistError {
        PlaylistError(
            .malformed, line: attributes.line,
            "\(name) of EXT-X-DATERANGE is '\(RelativeName.shown(text))', which is not \(what)")
    }
}
