// The units of an export: their numbers, which follow from what they make, so that a later round replaces those of an earlier one,
// their share of the work, and their memory. Pure.
internal import Media
internal import MediaTime

/// Describes the units of an export: chunks come first, then audio tracks, then first passes.
struct UnitNumbering {
    private let divided: DividedExport
    /// Audio tracks have numbers of their own, whether they are encoded or copied.
    private static let mostAudio = 1000

    init(_ divided: DividedExport) { self.divided = divided }

    /// A first pass takes this share of a second one's time.
    private static let firstPass = 0.5

    /// The seconds that a chunk shows.
    func seconds(_ chunk: Chunk) -> Double {
        divided.video.timebase.time(ofTicks: chunk.shown.upperBound - chunk.shown.lowerBound).seconds
    }

    /// The encoding of a chunk.
    func video(_ number: Int, _ chunk: Chunk) throws(MediaError) -> ExportUnit {
        var unit = ExportUnit(
            number: number, kind: .video, index: number, work: try UnitCoding.value(UnitWork.video(chunk)),
            seconds: seconds(chunk), memory: divided.video.memory, mayUseThreads: divided.mayUseThreads)
        if chunk.rate != nil { unit.inputs = [statisticsNumber(number)] }
        return unit
    }

    /// The encoding of a chunk whose share of the bits is not known yet.
    func pending(_ number: Int, _ chunk: Chunk) throws(MediaError) -> ExportUnit {
        var unit = try video(number, chunk)
        unit.isPending = true
        return unit
    }

    /// The first pass of a chunk.
    func statistics(_ number: Int, _ chunk: Chunk) throws(MediaError) -> ExportUnit {
        ExportUnit(
            number: statisticsNumber(number), kind: .statistics, index: number,
            work: try UnitCoding.value(UnitWork.statistics(chunk)),
            seconds: seconds(chunk) * UnitNumbering.firstPass, memory: divided.video.memory)
    }

    /// The encoding of an audio track.
    func audio(_ plan: AudioPlan, seconds: Double) throws(MediaError) -> ExportUnit {
        ExportUnit(
            number: divided.chunks + min(plan.track.index, UnitNumbering.mostAudio - 1), kind: .audio,
            index: plan.track.index, work: try UnitCoding.value(UnitWork.audio(track: plan.track.index)),
            seconds: seconds,
            memory: 128 << 20)
    }

    private func statisticsNumber(_ number: Int) -> Int { divided.chunks + UnitNumbering.mostAudio + number }
}
