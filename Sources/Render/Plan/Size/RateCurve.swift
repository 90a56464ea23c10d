// RateCurve: the average rate to ask an encoder for, so that it makes a wanted one, from what it made of the rates asked for so far. Pure.

/// How the average rates that an encoder makes relate to those it is asked for; all in bits per second.
///
/// Short films and buffer limits keep encoders from their rates, and the ratio differs with the rate: x265 made 0.54 of 167,000 and
/// 0.79 of 237,000 of one film, so that correcting by the last ratio overshoots again and again.
struct RateCurve: Hashable, Codable {
    /// A measured encode.
    private struct Point: Hashable, Codable {
        var asked: Double, made: Double
    }

    private var points: [Point] = []
    /// The ratio of made to asked in the last encode.
    private var factor = 1.0

    /// Guards against encodes that made next to nothing.
    private static let leastFactor = 0.05

    /// Records an encode.
    mutating func add(asked: Double, made: Double) {
        guard asked > 0 else { return }
        factor = max(RateCurve.leastFactor, made / asked)
        points.append(Point(asked: asked, made: made))
    }

    /// Records that an encode was stopped, having exceeded what was expected of it by this factor or more.
    mutating func exceed(by factor: Double) { self.factor *= factor }

    /// The rate to ask for: between the nearest encodes that made less and more, in proportion; else by the last ratio.
    func rate(for wanted: Double) -> Double {
        let proportional = wanted / factor
        guard let below = points.filter({ $0.made <= wanted }).max(by: { $0.asked < $1.asked }),
            let above = points.filter({ $0.made > wanted && $0.asked > below.asked })
                .min(by: { $0.asked < $1.asked })
        else { return proportional }
        let part = (wanted - below.made) / (above.made - below.made)
        return below.asked + part * (above.asked - below.asked)
    }
}
