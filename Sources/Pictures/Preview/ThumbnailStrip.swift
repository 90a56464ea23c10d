// Frames at some times as small JPEG files, one behind the other in one file: exact, or the keyframes before them; of a file without
// video its cover. A frame is decoded once, however many times mean it.
public import Libav
public import Media
public import MediaTime
internal import Source

/// Frames of a video as JPEG files.
public struct ThumbnailStrip {
    private let source: SourceFile
    private let times: [TimeSpelling]
    private let width: Int
    private let keyframes: Bool
    private let subtitles: Int?

    /// Frames of a source at some times, `width` pixels wide unless the video is smaller, with a subtitle track on them; nil: with none.
    public init(
        _ source: SourceFile, at times: [TimeSpelling], width: Int, keyframes: Bool, subtitles: Int? = nil
    ) {
        self.source = source
        self.times = times
        self.width = width
        self.keyframes = keyframes
        self.subtitles = subtitles
    }

    /// Writes the files to a descriptor that is open for writing, from its beginning.
    public func run(output: Int32) throws(MediaError) -> ThumbnailsReport {
        let asset = try Probe.asset(of: source)
        if let cover = asset.cover { return try run(cover: cover, of: asset, output: output) }
        let track = try asset.shownVideo(of: source)
        let diagnostics = Diagnostics()
        let points = try points(asset, diagnostics)
        var renderer = FrameRenderer(track: track)
        if let subtitles {
            renderer.subtitles = PreviewSubtitles(
                track: try asset.subtitles(subtitles, of: source), source: source, origin: asset.start,
                diagnostics: diagnostics)
        }
        let size = renderer.size(width: width)
        let thumbnails = Thumbnails(source, track, origin: asset.start, diagnostics: diagnostics)
        let numbers = FrameNumbers(source, track, of: asset)
        let file = SourceFile(descriptor: output, size: 0, name: "the pictures")
        var pictures: [Int: ThumbnailsReport.Picture] = [:]
        var last: ThumbnailsReport.Picture?
        var end: Int64 = 0
        for (index, point) in points.enumerated().sorted(by: { $0.element.time < $1.element.time }) {
            let found = try thumbnails.frame(
                SheetPlan.Moment(
                    time: point.time, mark: nil, part: 0, tolerance: keyframes ? .positiveInfinity : .zero))
            var picture: ThumbnailsReport.Picture
            if let last, last.actual == found.time {
                picture = last
            } else {
                let canvas = try renderer.canvas(
                    of: found.frame, at: found.time, width: size.width, height: size.height)
                let bytes = try ImageFile.bytes(canvas, as: .jpg)
                try media(.inputOutput) { () throws(LibavError) in
                    try file.write(bytes, at: end, "writing the pictures")
                }
                picture = ThumbnailsReport.Picture(
                    requested: point.asked, actual: found.time, duration: found.duration,
                    number: numbers.number(ofFrameAt: found.time), offset: end, bytes: Int64(bytes.count),
                    width: canvas.width, height: canvas.height)
                end += Int64(bytes.count)
            }
            last = picture
            picture.requested = point.asked
            pictures[index] = picture
        }
        return ThumbnailsReport(
            pictures: points.indices.compactMap { pictures[$0] }, bytes: end, warnings: diagnostics.warnings)
    }

    /// The cover of a file without video: at each of the times the same one, which begins at 0.
    private func run(cover: Track, of asset: Asset, output: Int32) throws(MediaError) -> ThumbnailsReport {
        let diagnostics = Diagnostics()
        let points = try points(asset, diagnostics, isCover: true)
        let renderer = FrameRenderer(track: cover)
        let size = renderer.size(width: width)
        let canvas = try renderer.canvas(
            of: CoverFrame(source: source, track: cover).frame(), width: size.width, height: size.height)
        let bytes = try ImageFile.write(canvas, as: .jpg, to: output)
        return ThumbnailsReport(
            pictures: points.map { point in
                ThumbnailsReport.Picture(
                    requested: point.asked, actual: .zero, duration: asset.duration ?? .zero, number: nil,
                    offset: 0, bytes: bytes, width: canvas.width, height: canvas.height)
            }, bytes: bytes, warnings: diagnostics.warnings)
    }

    /// The times, of which none is past the end. A cover is the first frame and the last.
    private func points(
        _ asset: Asset, _ diagnostics: Diagnostics, isCover: Bool = false
    ) throws(MediaError) -> [CutPoint] {
        let resolution = TimeResolution(asset: asset, source: source, diagnostics: diagnostics)
        var points: [CutPoint] = []
        for spelling in times {
            if isCover, [.end, .frameFromEnd(1), .frame(0)].contains(spelling) {
                points.append(CutPoint(.zero))
                continue
            }
            let point = try resolution.point(spelling == .end ? .frameFromEnd(1) : spelling, as: "time")
            if let duration = asset.duration, point.time >= duration {
                throw MediaError(
                    .invalidTime,
                    "the time \(point.time.clock()) is \(point.time == duration ? "at" : "past") the end (\(duration.clock()))",
                    time: point.time, remedy: "choose an earlier time")
            }
            points.append(point)
        }
        return points
    }
}
