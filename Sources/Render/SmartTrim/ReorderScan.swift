// Measures the reorder depth of copied spans by reading all their samples, where the cut points and the headers say too little.
// Decodes nothing. Runs on the caller's thread.
package import Libav
package import Media
package import MediaTime
internal import Source

/// Scans the spans that a plan copies.
package struct ReorderScan {
    let source: SourceFile
    let plan: SmartTrimTrackPlan
    /// The container time of asset time 0.
    let origin: Time

    /// Creates a value of its parts.
    package init(source: SourceFile, plan: SmartTrimTrackPlan, origin: Time) {
        (self.source, self.plan, self.origin) = (source, plan, origin)
    }

    /// Returns the reorder delay of the output in frames. Throws if no delay is enough for the times.
    package func depth() throws(MediaError) -> Int {
        var depth = 0
        for part in plan.parts {
            guard let copy = part.plan.copy else { continue }
            depth = max(depth, try self.depth(of: copy))
        }
        return depth
    }

    private func depth(of copy: SmartTrimPlan.Copy) throws(MediaError) -> Int {
        let track = plan.track
        let reader = try TrackReader.open(
            source, track: track, origin: origin, at: track.timebase.time(ofTicks: copy.first) - origin,
            back: Time(2, 1))
        let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        let diagnostics = Diagnostics()
        var order = ReorderDepth()
        var isCopied = false
        while reader.read(into: packet, diagnostics) {
            guard let pts = packet.pts else { continue }
            if pts == copy.first { isCopied = true }
            if pts == copy.stop { break }
            if isCopied, pts >= copy.first { order.add(pts) }
        }
        switch order.irregularity {
        case .back(let pts): throw refusal("its times begin anew", pts)
        case .repeated, nil: return order.depth
        }
    }

    private func refusal(_ why: String, _ pts: Int64) -> MediaError {
        let track = plan.track
        let time = track.timebase.time(ofTicks: pts) - origin
        return MediaError(
            .spliceFailed, "track \(track.index) cannot be copied: \(why) at \(time.clock())", time: time,
            track: track.index,
            remedy: "use --render encode with a preset that says how, or cut around that time")
    }
}
