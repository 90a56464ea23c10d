// The chapters of an output: those of the source in the range, or those that a user sets. Pure.
package import Media
package import MediaTime

/// Chapters on the output's timeline.
package enum ChapterList {
    /// A chapter that loses no more than this at a cut point loses nothing: containers round chapter times to the millisecond.
    private static let rounding = Time(1, 1000)

    /// The chapters of a range, moved to its zero; those cut at its start or end are shortened, and their titles say so.
    /// - Parameters:
    ///   - end: where the range ends; nil: at the end of the asset.
    ///   - duration: the asset's: a chapter that lasts longer loses nothing there.
    package static func clip(
        _ chapters: [Chapter], start: Time, end: Time?, of duration: Time? = nil
    ) -> [Chapter] {
        chapters.compactMap { chapter in
            let from = max(chapter.start, start)
            let to = end.map { min(chapter.end, $0) } ?? chapter.end
            guard from < to else { return nil }
            let (first, last) = (
                max(chapter.start, .zero), duration.map { min(chapter.end, $0) } ?? chapter.end
            )
            let isCut = from - first > rounding || last - to > rounding
            return Chapter(
                start: from - start, end: to - start,
                title: chapter.title.map { isCut ? "\($0) (part)" : $0 })
        }
    }

    /// Chapters as Vorbis comments (the chapter extension of Xiph's wiki): CHAPTER001 is a time, and CHAPTER001NAME its title.
    package static func comments(_ chapters: [Chapter]) -> [String: String] {
        var comments: [String: String] = [:]
        for (index, chapter) in chapters.enumerated() {
            let digits = String(index + 1)
            let key = "CHAPTER" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
            comments[key] = chapter.start.clock(digits: 3)
            if let title = chapter.title { comments[key + "NAME"] = title }
        }
        return comments
    }

    /// The chapters a user sets, each lasting to the next one.
    /// - Parameters:
    ///   - marks: asset times and titles.
    ///   - end: where the range ends; nil: not known.
    package static func set(
        _ marks: [(time: Time, title: String)], start: Time, end: Time?
    ) throws(MediaError) -> [Chapter] {
        let marks = marks.sorted { $0.time < $1.time }
        var chapters: [Chapter] = []
        for (index, mark) in marks.enumerated() {
            guard mark.time >= start, end.map({ mark.time < $0 }) ?? true else {
                let range = "\(start) to \(end.map { "\($0)" } ?? "the end")"
                throw MediaError(
                    .invalidTime,
                    "the chapter '\(mark.title)' begins at \(mark.time), outside the range from \(range)",
                    time: mark.time, remedy: "chapters are given in times of the source")
            }
            let next = index + 1 < marks.count ? marks[index + 1].time : end ?? mark.time + Time(1, 1)
            guard next > mark.time else {
                throw MediaError(
                    .invalidTime,
                    "two chapters begin at \(mark.time): '\(mark.title)' and '\(marks[index + 1].title)'",
                    time: mark.time, remedy: "leave one of them out")
            }
            chapters.append(Chapter(start: mark.time - start, end: next - start, title: mark.title))
        }
        return chapters
    }

    /// The range covered by chapters of an asset.
    package static func range(_ request: ChapterRequest, of asset: Asset) throws(MediaError) -> (Time, Time)?
    {
        guard let first = request.first else { return nil }
        let count = asset.chapters.count
        let last = request.last ?? count
        guard count > 0 else {
            throw MediaError(
                .invalidTime, "chapters \(first) to \(last) were asked for, and the file has no chapters",
                remedy: "give times: --start and --end")
        }
        guard first <= count, last <= count else {
            throw MediaError(
                .invalidTime,
                "chapter \(max(first, last)) was requested, and the file has \(count == 1 ? "only one" : "\(count)")",
                remedy: "`trimctl probe` lists them")
        }
        let chosen = asset.chapters[(first - 1)..<last]
        guard let start = chosen.map(\.start).min(), let end = chosen.map(\.end).max() else { return nil }
        return (max(start, .zero), asset.duration.map { min($0, end) } ?? end)
    }
}
