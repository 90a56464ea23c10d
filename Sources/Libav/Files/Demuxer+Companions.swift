// Tracks that lie in files of their own, such as the alternative audio of a playlist: each file has a demuxer of its own, whose
// tracks follow those of the first. Reading all tracks takes the packets of all files in the order of their times.
internal import CFFmpeg
internal import Glibc

/// The demuxers of the further files of an asset, and how far they were read.
struct DemuxerCompanions {
    /// One of them.
    struct Entry {
        let demuxer: Demuxer
        /// The index of its first track.
        let first: Int
        /// The time of the last packet, in seconds.
        var position = -Double.infinity
        var hasEnded = false
    }

    /// They, by the order of their tracks; empty for nearly all sources.
    var entries: [Entry] = []
    /// The tracks of the first file.
    var ownTracks = 0
    /// How far the first file was read.
    var position = -Double.infinity
    var hasEnded = false
    /// The one whose track is selected; nil: all are read. -1: the first file.
    var selected: Int?
    var failure: LibavError?

    static let own = -1

    /// The entry that holds a track; nil: the first file.
    func entry(of track: Int) -> Int? { entries.lastIndex { track >= $0.first } }

    /// Which to read next; nil at the end of all.
    func next() -> Int? {
        if let selected { return selected }
        var best = hasEnded ? nil : DemuxerCompanions.own as Int?
        var time = hasEnded ? Double.infinity : position
        for (index, entry) in entries.enumerated() where !entry.hasEnded && entry.position < time {
            (best, time) = (index, entry.position)
        }
        return best ?? entries.firstIndex { !$0.hasEnded }
    }
}

extension Demuxer {
    /// Opens the companions of a source.
    func openCompanions(of source: SourceFile, quick: Bool, deep: Bool) throws(OpenFailure) {
        guard !source.companions.isEmpty else { return }
        companions.ownTracks = Int(unsafe context.pointee.nb_streams)
        var first = companions.ownTracks
        for companion in source.companions {
            let demuxer = try Demuxer(companion.file, quick: quick, deep: deep)
            for track in 0..<demuxer.trackCount {
                guard let stream = unsafe demuxer.stream(track) else { continue }
                for (key, value) in companion.metadata {
                    unsafe av_dict_set(&stream.pointee.metadata, key, value, 0)
                }
                if companion.isDefault { unsafe stream.pointee.disposition |= AV_DISPOSITION_DEFAULT }
                if companion.isForced { unsafe stream.pointee.disposition |= AV_DISPOSITION_FORCED }
            }
            companions.entries.append(DemuxerCompanions.Entry(demuxer: demuxer, first: first))
            first += demuxer.trackCount
        }
    }

    /// Selects a track, wherever it is.
    func selectAmongCompanions(_ track: Int) {
        guard !companions.entries.isEmpty else { return }
        let entry = companions.entry(of: track)
        companions.selected = entry ?? DemuxerCompanions.own
        if let entry {
            let found = companions.entries[entry]
            found.demuxer.select(track: track - found.first)
        }
    }

    /// Seeks all files to the time of a track; false if the file of that track cannot seek there.
    func seekCompanions(track: Int, toTicks ticks: Int64) -> Bool {
        let base = unsafe stream(track)?.pointee.time_base ?? AVRational(num: 1, den: 1)
        let target = companions.entry(of: track)
        var reached = true
        for index in -1..<companions.entries.count {
            let isTarget = index == (target ?? DemuxerCompanions.own)
            if let selected = companions.selected, selected != index { continue }
            let demuxer = index < 0 ? self : companions.entries[index].demuxer
            let first = index < 0 ? 0 : companions.entries[index].first
            let local = isTarget ? track - first : 0
            guard let stream = unsafe demuxer.ownStream(local) else { continue }
            let wanted = isTarget ? ticks : unsafe av_rescale_q(ticks, base, stream.pointee.time_base)
            let done = demuxer.seekOwn(track: local, toTicks: wanted)
            if isTarget { reached = done }
            if index < 0 {
                (companions.position, companions.hasEnded) = (-.infinity, false)
            } else {
                companions.entries[index].position = -.infinity
                companions.entries[index].hasEnded = false
            }
        }
        return reached
    }

    /// Reads the next packet of all files.
    func readAmongCompanions(into packet: Packet) -> Reading {
        while let index = companions.next() {
            let reading =
                index < 0 ? readOwn(into: packet) : companions.entries[index].demuxer.readOwn(into: packet)
            if case .packet = reading {
                let first = index < 0 ? 0 : companions.entries[index].first
                // A track of the first file that appears late has no number left.
                if index < 0, packet.track >= companions.ownTracks { continue }
                packet.track += first
                let base = unsafe stream(packet.track)?.pointee.time_base ?? AVRational(num: 1, den: 1)
                if let ticks = packet.dts ?? packet.pts {
                    let time = Double(ticks) * av_q2d(base)
                    if index < 0 {
                        companions.position = time
                    } else {
                        companions.entries[index].position = time
                    }
                }
                return reading
            }
            if companions.selected != nil { return reading }
            if case .broken(let error) = reading { companions.failure = companions.failure ?? error }
            if index < 0 { companions.hasEnded = true } else { companions.entries[index].hasEnded = true }
        }
        return companions.failure.map { .broken($0) } ?? .ended
    }
}
