// The decisions of a full encode of the video: size, rotation, timing, level. A pure value made from a track, a preset's settings and
// the options.
package import Libav
package import Media
package import MediaTime
package import Source

/// How the video track is encoded.
package struct VideoPlan: Sendable, Codable {
    /// The source track.
    package var track: Track
    /// The size of the output in pixels.
    package var width: Int, height: Int
    /// Clockwise rotation in degrees, and whether the frame is mirrored after it.
    var rotation: Int, isMirrored: Bool
    /// The crop and the rotation that were asked for, of the displayed frame.
    package var edit = FrameEdit()
    /// How interlaced frames are treated.
    var deinterlace = Deinterlacing.auto
    /// The shortest frame that the container's viewers show, in output ticks.
    package var shortestFrame: Int64 = 0
    /// Seconds per tick of the output.
    package var timebase: Timebase
    /// Which frames are kept.
    package var cadence: FrameCadence
    /// The output's frame rate, nominal where it varies.
    package var frameRate: Ratio
    /// The source has a constant frame rate.
    var isConstant: Bool
    /// The encoder counts frames instead of ticks, so that the stream's timing gives the frame rate. Only where every kept frame
    /// lasts exactly one period, including the last: demuxers use the stream's timing for the last frame.
    var countsFrames: Bool
    /// The preset's video settings, with the chosen box.
    package var settings: VideoSettings
    /// The level limit of the stream; nil if its codec has none.
    var level: VideoLevel?
    /// Ticks per frame, where the rate is made constant.
    package var gridPeriod: Int64?
    /// Average bits per second instead of the preset's quality; nil: the preset's quality.
    package var averageBitRate: Int?
    /// It is encoded in two passes.
    package var isTwoPass = false
    /// The pass of a two-pass encode; nil: single pass.
    package var pass: EncodingPass?
    /// The statistics of a first pass include the encoder's macroblock tree.
    var keepsBlocks = true
    /// The subtitle track that is drawn on the frames.
    package var burned: Track?
    /// Frames stay transparent.
    var keepsAlpha = false
    /// The background of transparent frames that become opaque, as `rrggbb`.
    package var background: String?

    /// The statistics of a pass are memory of this process.
    private enum CodingKeys: String, CodingKey {
        case track, width, height, rotation, isMirrored, edit, deinterlace, shortestFrame, timebase, cadence
        case frameRate, isConstant, countsFrames, settings, level, gridPeriod, averageBitRate, keepsBlocks
        case keepsAlpha, background, isTwoPass, burned
    }

    /// FFmpeg's name of the output's pixel format.
    var pixelFormat: String {
        keepsAlpha ? settings.alphaPixelFormat ?? settings.pixelFormat : settings.pixelFormat
    }
}

extension VideoPlan {
    /// A plan of frames for viewing: all of them, upright, and transparent ones over a background.
    /// - Parameters:
    ///   - isConstant: the source's frame rate is.
    ///   - background: as `rrggbb`.
    package init(
        viewing track: Track, width: Int, height: Int, edit: FrameEdit = FrameEdit(), timebase: Timebase,
        frameRate: Ratio, isConstant: Bool, settings: VideoSettings, background: String
    ) {
        self.init(
            track: track, width: width, height: height, rotation: track.video?.rotation ?? 0,
            isMirrored: track.video?.isMirrored ?? false, edit: edit, timebase: timebase, cadence: .all,
            frameRate: frameRate, isConstant: isConstant, countsFrames: false, settings: settings,
            background: track.video?.hasAlpha == true ? background : nil)
    }
}

extension VideoPlan {
    /// Decides the video settings of the output.
    init(
        _ track: Track, _ format: VideoFormat, _ settings: VideoSettings, origin: Time, segments: Segments,
        timing: FrameTiming?, options: ExportOptions
    ) {
        var known = format
        if let rate = timing?.rate { known.frameRate = rate }
        let output = OutputVideo(known, settings, options)
        let settings = output.settings
        self.track = track
        self.settings = settings
        keepsAlpha = output.keepsAlpha
        background =
            format.hasAlpha && !keepsAlpha ? options.background.flatMap(ExportOptions.color) ?? "000000" : nil
        rotation = format.rotation
        isMirrored = format.isMirrored
        edit = FrameEdit(options)
        (width, height) = (output.width, output.height)
        // Asset time 0 may be a time of another track, in its ticks.
        timebase = Timescale.video(source: track.timebase, segments, origin: origin)
        let source = timing?.rate ?? format.frameRate ?? settings.maxFrameRate ?? Ratio(30)
        isConstant = !(timing?.isVariable ?? format.isVariable)
        let speed = segments.speed
        cadence = timing?.cadence(cap: settings.maxFrameRate?.divided(by: speed)) ?? .all
        let period = source.reciprocal.map { Time($0.numerator, Int32(clamping: $0.denominator)) } ?? .invalid
        let isGrid = track.timebase.ticks(of: period, rounding: .towardZero).exact
        // Where a part ends inside a frame, that frame is shorter.
        let isWhole = segments.all.allSatisfy { segment in
            let cuts = [segment.end, segments.all.count > 1 ? segment.start : nil].compactMap(\.self)
            return cuts.allSatisfy {
                ($0 - (track.start ?? .zero)).multiplied(by: source.numerator, over: source.denominator)
                    .reduced.timescale == 1
            }
        }
        // The encoder's frame numbers are times only where no time was rounded.
        let isExact = Int64(timebase.denominator) % (Int64(track.timebase.denominator) * speed.numerator) == 0
        countsFrames =
            isConstant && isGrid && cadence == .all && isWhole && (speed == Ratio(1) || isExact)
        let played = source.multiplied(by: speed) ?? source
        switch cadence {
        case .steady(let cap):
            frameRate = cap.rate(from: source)?.multiplied(by: speed) ?? played
            // The distance of two frames doubles where one between them is left out.
            if case .intervals = cap { isConstant = false }
        case .apart: frameRate = settings.maxFrameRate.map { min($0, played) } ?? played
        }
        if options.frameRate != nil {
            (frameRate, cadence, isConstant) = (output.rate, .all, true)
            let grid = Timescale.grid(frameRate, in: timebase)
            (timebase, gridPeriod) = (grid.timebase, grid.period)
            let whole = segments.length.map {
                $0.multiplied(by: frameRate.numerator, over: frameRate.denominator)
            }
            countsFrames = whole.map { $0.reduced.timescale == 1 } ?? true
        }
        averageBitRate = options.bitRate
        deinterlace = options.deinterlace ?? .auto
        if deinterlace == .field, format.fieldOrder != .progressive {
            // Frames that are not interlaced stay whole, so that the rate may vary.
            (countsFrames, isConstant) = (false, false)
            if format.isInterlaced { frameRate = frameRate.multiplied(by: Ratio(2)) ?? frameRate }
            timebase =
                Timescale.common(Int64(timebase.denominator), 2 * Int64(track.timebase.denominator))
                .flatMap { Timebase(perSecond: Int($0)) } ?? timebase
        }
        // Nonsensical rates (timebases given as rates) would break rate control.
        if frameRate > Ratio(480) || frameRate < (Ratio(1, 100) ?? Ratio(1)) { frameRate = Ratio(30) }
        level =
            settings.level.flatMap { VideoLevel.named($0, of: settings.codec) }
            ?? VideoLevel.lowest(of: settings.codec, width: width, height: height, rate: frameRate)
    }
}
