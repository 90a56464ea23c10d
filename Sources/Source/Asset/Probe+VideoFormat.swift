// Derives the video format from a container and its first packets: size, shape, rate, fields and colour.
internal import Codecs
package import Libav
package import Media
internal import MediaTime

extension Probe {
    /// The clean aperture in whole pixels; nil if it is the whole frame or not inside it.
    package static func crop(_ aperture: MovieBoxes.Aperture, width: Int, height: Int) -> VideoCrop? {
        guard aperture.width <= Double(width), aperture.height <= Double(height) else { return nil }
        let size = (Int(aperture.width.rounded()), Int(aperture.height.rounded()))
        let left = (Double(width - size.0) / 2 + aperture.right).rounded()
        let top = (Double(height - size.1) / 2 + aperture.down).rounded()
        // An offset that leads out of the frame is an error in the file.
        guard left >= 0, top >= 0, left <= Double(width - size.0), top <= Double(height - size.1),
            size != (width, height)
        else { return nil }
        return VideoCrop(left: Int(left), top: Int(top), width: size.0, height: size.1)
    }

    package static func videoFormat(_ stream: StreamInfo, _ sample: PacketSample) -> VideoFormat {
        var format = VideoFormat(
            width: stream.width, height: stream.height, sampleAspect: stream.sampleAspect ?? Ratio(1))
        if stream.isAspectByFrames { format.aspectByFrames = true }
        (format.rotation, format.isMirrored) = DisplayMatrix.orientation(stream.displayMatrix)
        format.pixelFormat = stream.pixelFormat
        format.bitDepth = stream.bitDepth
        format.hasAlpha = stream.hasAlpha
        format.fieldOrder =
            switch stream.fieldOrder {
            case "progressive": .progressive
            case "tt", "tb": .topFieldFirst
            case "bb", "bt": .bottomFieldFirst
            default: .unknown
            }
        if sample.reordered.contains(stream.index) { format.isReordered = true }
        format.x264Build = sample.x264Builds[stream.index]
        let fields = sample.fields[stream.index]
        if let fields {
            // FFmpeg's MPEG-2 parser derives this from a bit that only coded frames have.
            format.fieldOrder = fields.isBottomFirst ? .bottomFieldFirst : .topFieldFirst
            format.fieldCoding = fields.areSamples ? .separateSamples : .oneSample
            // The size is that of a field.
            if VideoCodecs.named(stream.codec).codesFieldsAsPictures { format.height *= 2 }
        }
        let named = [stream.averageRate, stream.realRate].compactMap(\.self)
        let timing = FrameTiming(
            numbered: sample.times[stream.index] ?? [], timebase: stream.timebase,
            nominal: fields == nil ? named : named + named.compactMap(FrameTiming.halved))
        format.isVariable = timing.isVariable || isUneven(stream, sample, timing)
        // Some containers count samples that are not frames.
        let counted = sample.lastDurations[stream.index] != nil ? timing.rate?.value ?? 0 : 0
        let average = stream.averageRate.flatMap { counted > 0 && $0.value > 1.2 * counted ? nil : $0 }
        format.frameRate =
            format.isVariable ? (fields?.areSamples == true ? nil : average) ?? timing.rate : timing.rate
        format.nominalRate = stream.realRate
        if let rate = timing.rate, !format.isVariable, format.fieldOrder != .progressive,
            let twice = stream.realRate.map({ $0.value / rate.value }), abs(twice - 2) < 0.001
        {
            // FFmpeg counts fields there.
            format.nominalRate = rate
        }
        format.color.primaries = stream.primaries
        format.color.transfer = stream.transfer
        format.color.matrix = stream.matrix
        format.color.range = stream.range
        format.color.contentLight = stream.contentLight
        format.color.masteringLuminance = stream.masteringLuminance
        format.dolbyVision = stream.dolbyVision.map {
            DolbyVision(
                profile: $0.profile, level: $0.level, compatibility: $0.compatibility,
                hasEnhancementLayer: $0.isLayered)
        }
        format.projection = stream.projection
        return format
    }

    /// Frames of a movie last unevenly after those that were read, or the last one lasts longer than the others.
    private static func isUneven(
        _ stream: StreamInfo, _ sample: PacketSample, _ timing: FrameTiming
    ) -> Bool {
        guard stream.hasIndex, sample.fields[stream.index]?.areSamples != true else { return false }
        guard let last = sample.lastDurations[stream.index] else { return stream.hasGaps }
        guard let rate = timing.rate, !timing.isVariable else { return false }
        return stream.timebase.time(ofTicks: last).seconds * rate.value > 1.75
    }
}
