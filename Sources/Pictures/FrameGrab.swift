// A still image: the frame on screen at a time, by the rule for an export's in point, as an image file. Decodes from the last
// position needed, up to the frame after it.
public import Libav
public import Media
public import MediaTime
internal import Source

/// A frame of a video as an image file.
public struct FrameGrab {
    private let source: SourceFile
    private let at: TimeSpelling
    private let width: Int?
    private let type: ImageType
    private let preview: PreviewRequest?

    /// A still of a source at a time; `width` in pixels, nil: the video's.
    public init(
        _ source: SourceFile, at: TimeSpelling, width: Int?, type: ImageType, preview: PreviewRequest? = nil
    ) {
        self.source = source
        self.at = at
        self.width = width
        self.type = type
        self.preview = preview
    }

    /// Writes the image to a descriptor that is open for writing, from its beginning.
    public func run(output: Int32) throws(MediaError) -> FrameReport {
        let whole = try Probe.asset(of: source)
        _ = try whole.shownVideo(of: source)
        let diagnostics = Diagnostics()
        // Nothing is shown at the end itself.
        let point = try TimeResolution(asset: whole, source: source, diagnostics: diagnostics).point(
            at == .end ? .frameFromEnd(1) : at, as: "time")
        let time = point.time
        let (source, asset) = RangeFormat.of(Segments(start: time, end: time + Time(1, 1000)), source, whole)
        let track = try asset.shownVideo(of: source)
        if let duration = asset.duration, time >= duration {
            let relation = time == duration ? "at" : "past"
            throw MediaError(
                .invalidTime, "the time \(time.clock()) is \(relation) the end (\(duration.clock()))",
                time: time, remedy: "choose an earlier time")
        }
        let found = try FrameFinder(
            source: source, track: track, origin: asset.start, diagnostics: diagnostics
        )
        .frame(at: time)
        let renderer = FrameRenderer(track: track)
        let size = renderer.size(width: width)
        let canvas = try renderer.canvas(of: found.frame, width: size.width, height: size.height)
        let bytes = try ImageFile.write(canvas, as: type, to: output)
        var report = FrameReport(
            requested: point.asked, actual: found.time, width: canvas.width, height: canvas.height,
            bytes: bytes,
            warnings: diagnostics.warnings)
        report.number = FrameNumbers(source, track, of: asset).number(ofFrameAt: found.time)
        report.preview = try preview.map { request throws(MediaError) in
            try PicturePreview.make(canvas, request)
        }
        return report
    }
}

/// Finds the frame on screen at a time.
struct FrameFinder {
    let source: SourceFile
    let track: Track
    let origin: Time
    let diagnostics: Diagnostics

    /// The last frame that begins at or before the time; where there is none, the first one, with a warning.
    func frame(at time: Time) throws(MediaError) -> FrameReader.Shown {
        let reader = try FrameReader(source, track, origin: origin, at: time, diagnostics: diagnostics)
        var found: FrameReader.Shown?
        while let next = try reader.next() {
            if next.time > time {
                if let found { return found }
                diagnostics.warn(
                    Warning(
                        .noFrameYet, "the video begins at \(next.time.clock()); its first frame is shown",
                        time: next.time, track: track.index))
                return next
            }
            found = next
        }
        guard let found else {
            throw MediaError(
                .undecodableMediaData, "no frame of track \(track.index) decodes at \(time.clock())",
                time: time, track: track.index, remedy: "the file is damaged there; choose another time")
        }
        if found.time + found.duration <= time {
            diagnostics.warn(
                Warning(
                    .afterLastFrame,
                    "the video ends at \((found.time + found.duration).clock()); its last frame is shown",
                    time: found.time, track: track.index))
        }
        return found
    }
}

extension Asset {
    /// The video track to show.
    func shownVideo(of source: SourceFile) throws(MediaError) -> Track {
        guard let track = mainVideo else {
            throw MediaError(
                .noSourceTrack, "\(source.name) has no video", remedy: "choose a film")
        }
        if track.isProtected {
            throw MediaError(
                .contentIsProtected, "the video of \(source.name) is encrypted", track: track.index,
                remedy: "only the unencrypted original can be shown")
        }
        guard track.isDecodable else {
            throw MediaError(
                track.obstacle == .unknownFormat ? .undecodableMediaData : .decoderNotFound,
                "the video of \(source.name) cannot be shown: \(track.obstacleWords)", track: track.index)
        }
        return track
    }
}
