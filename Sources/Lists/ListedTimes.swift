// The times of a list as times of an asset: timecodes at the list's own rate, and from the asset's own start timecode. Pure.
public import Media
public import MediaTime

/// Converts the times of a list for an asset.
public struct ListedTimes: Sendable {
    private let asset: Asset

    /// Times of an asset.
    public init(_ asset: Asset) { self.asset = asset }

    /// A time of an export as a request takes it: converted where the list counts differently from the asset.
    public func placed(_ spelling: TimeSpelling?, _ listed: ListedExport) throws(MediaError) -> TimeSpelling?
    {
        switch spelling {
        case .timecode(let h, let m, let s, let f, let drop)? where listed.rate != nil:
            return .time(try time(h, m, s, f, drop, at: listed.rate))
        case .time(let time)? where listed.origin == .timecode,
            .decimal(let time)? where listed.origin == .timecode:
            guard let base = assetStart, time >= base else { return spelling }
            return .time(time - base)
        default: return spelling
        }
    }

    /// The time of an export in the asset, as far as it is known without reading frames.
    public func time(_ spelling: TimeSpelling?, of listed: ListedExport) throws(MediaError) -> Time? {
        guard let placed = try placed(spelling, listed) else { return nil }
        do throws(TimeError) {
            return try placed.resolve(
                duration: asset.duration,
                frameTime: { number, isFromEnd throws(TimeError) in
                    guard let rate = asset.mainVideo?.video?.frameRate, !isFromEnd || asset.duration != nil
                    else { throw TimeError(.notATime, "\(placed): the frames' times are not known") }
                    let time = Time(number, 1).multiplied(by: rate.denominator, over: rate.numerator)
                    return isFromEnd ? (asset.duration ?? .zero) - time : time
                },
                timecode: { h, m, s, f, drop throws(TimeError) in
                    do throws(MediaError) { return try self.time(h, m, s, f, drop, at: nil) } catch {
                        throw TimeError(.noSuchTimecode, error.message)
                    }
                })
        } catch {
            throw MediaError(.invalidTime, error.message)
        }
    }

    /// The asset's own timecode as a time from 00:00:00:00; nil if it has none.
    private var assetStart: Time? {
        guard let text = asset.timecode, let rate = asset.mainVideo?.video?.frameRate,
            case .timecode(let h, let m, let s, let f, let drop)? = try? TimeSpelling.parse(text),
            let known = TimecodeRate.counting(rate, dropFrame: drop),
            let code = try? Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: known)
        else { return nil }
        return code.time
    }

    /// The time of a timecode, counted from the asset's own.
    /// - Parameter rate: frames per second of the timecode; nil: the asset's.
    public func time(
        _ h: Int, _ m: Int, _ s: Int, _ f: Int, _ drop: Bool, at rate: Ratio?
    ) throws(MediaError) -> Time {
        guard let rate = rate ?? asset.mainVideo?.video?.frameRate else {
            throw MediaError(
                .invalidTime, "a timecode needs a source with video and a frame rate", remedy: "give --rate")
        }
        guard let known = TimecodeRate.counting(rate, dropFrame: drop) else {
            throw MediaError(
                .invalidTime, "there is no \(drop ? "drop-frame " : "")timecode at \(rate) frames a second",
                remedy: "give --rate with the rate that the list counts in")
        }
        do throws(TimeError) {
            let code = try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: known)
            if let start = asset.timecode, let base = try? TimeSpelling.parse(start),
                case .timecode(_, _, _, _, let isDropFrame) = base, isDropFrame != drop,
                let own = asset.mainVideo?.video?.frameRate,
                TimecodeRate.counting(own, dropFrame: isDropFrame) != nil
            {
                throw .counted(otherwise: start, isDropFrame: isDropFrame)
            }
            let base = assetStart ?? .zero
            guard code.time >= base else {
                throw TimeError(
                    .outOfRange,
                    "the timecode \(code) is before the source, whose timecode begins at \(asset.timecode ?? "0")"
                )
            }
            return code.time - base
        } catch {
            throw MediaError(.invalidTime, error.message)
        }
    }
}
