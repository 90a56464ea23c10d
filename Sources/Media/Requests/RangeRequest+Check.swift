// Checks a range without its asset: parts that exclude each other, and times that no asset has. Pure; TimeResolution checks it
// against the asset.
internal import MediaTime

extension RangeRequest {
    /// Throws `invalidRequest` if its parts exclude each other, and `invalidTime` if it is empty or inverted whatever the asset.
    public func check() throws(MediaError) {
        if end != nil, duration != nil {
            throw MediaError(
                .invalidRequest, "both an end and a duration are given", remedy: "give one of them")
        }
        if keep != nil,
            start != nil || end != nil || duration != nil || remove != nil
        {
            throw MediaError(
                .invalidRequest, "ranges to keep are given, and another range beside them",
                remedy: "give --keep alone, once for each range")
        }
        guard keep?.isEmpty != true, remove?.isEmpty != true else {
            throw MediaError(.invalidRequest, "a list of ranges is empty", remedy: "leave it out")
        }
        for range in (keep ?? []) + (remove ?? []) {
            if let start = range.start?.assetTime, let end = range.end?.assetTime, start >= end {
                throw MediaError(
                    .invalidTime, "the range \(range) \(start == end ? "is empty" : "is inverted")",
                    time: start,
                    remedy: "the end must be after the start")
            }
        }
        for (name, spelling) in [("start", start), ("end", end), ("duration", duration)] {
            guard let time = spelling?.assetTime else { continue }
            guard time.isNumeric, time >= .zero else {
                throw MediaError(
                    .invalidTime, "the \(name) \(time) is no time of an asset: those begin at 0",
                    time: time.isNumeric ? time : nil)
            }
        }
        if let length = duration?.assetTime, length <= .zero {
            throw MediaError(.invalidTime, "the duration is \(length) s, so the range is empty")
        }
        if let start = (start ?? .time(.zero)).assetTime, let end = end?.assetTime, start >= end {
            let relation = start == end ? "equals" : "is after"
            throw MediaError(
                .invalidTime,
                "the start \(start) s \(relation) the end \(end) s, so the range is empty",
                time: start)
        }
    }
}
