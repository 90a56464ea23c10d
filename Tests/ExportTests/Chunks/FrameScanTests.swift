// Frames are found where the container's index is enough without reading the samples: the same ones, and with little read.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

struct FrameScanTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The forms of an index, in a film each.
    enum Kind: String, CaseIterable, Sendable {
        case plain, edited, open, hevc, prores, fields, fragmented, interleaved, lateIndex, mkv, vp9
    }

    private func film(_ kind: Kind) throws -> String {
        func words(_ coding: [String]) -> [String] {
            Film.video(size: "256x144", seconds: "6", filters: "noise=alls=40:allf=t")
                + Film.noise(seconds: "6") + coding + ["-c:a", "aac"]
        }
        let h264 = Film.h264("bframes=3:keyint=25:scenecut=0")
        let (type, all): (String, [String]) =
            switch kind {
            case .plain: ("mp4", words(h264))
            case .edited: ("mp4", ["-itsoffset", "0.5"] + words(h264) + ["-ss", "1.3"])
            case .open: ("mov", words(Film.h264("bframes=2:open-gop=1:keyint=25:scenecut=0")))
            case .hevc:
                (
                    "mp4",
                    words([
                        "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params",
                        "log-level=error:keyint=25",
                    ])
                )
            case .prores: ("mov", words(["-c:v", "prores"]))
            case .fields: ("mp4", words(h264 + ["-flags", "+ildct+ilme"]))
            case .fragmented: ("mp4", words(h264 + ["-movflags", "frag_keyframe+empty_moov"]))
            case .interleaved: ("mp4", words(h264 + ["-min_frag_duration", "0", "-chunk_duration", "1"]))
            case .lateIndex: ("mp4", words(h264 + ["-movflags", "-faststart"]))
            case .mkv: ("mkv", words(h264))
            case .vp9: ("mp4", words(["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]))
            }
        return try Film(name: "scan-\(kind)", type: type, words: all).make(in: scratch)
    }

    private func compare(_ file: String) throws {
        let source = try scratch.source(file)
        let asset = try Probe.asset(of: source)
        for track in asset.tracks where track.kind == .video && track.video != nil {
            for range in [(Time.zero, nil), (Time(7, 3), Time(4, 1))] as [(Time, Time?)] {
                var scan = FrameScan(source: source, track: track, origin: asset.start)
                let few = try scan.frames(Segments([range]))
                scan.readsAll = true
                let all = try scan.frames(Segments([range]))
                #expect(few == all, "\(file) \(range)")
            }
        }
    }

    @Test(arguments: Kind.allCases) func theFramesAreTheSame(_ kind: Kind) throws {
        try compare(try film(kind))
    }

    private static let media = ProcessInfo.processInfo.environment["MEDIA"].flatMap {
        FileManager.default.fileExists(atPath: $0) ? $0 : nil
    }

    @Test(.enabled(if: media != nil, "the media are not there")) func theyAreInAllMedia() throws {
        let folder = try #require(FrameScanTests.media)
        let types = [".mp4", ".mov", ".m4v", ".m4b"]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            types.contains { name.hasSuffix($0) }
        }
        // Some cannot be read at all.
        let compared = names.count { name in (try? compare(folder + "/" + name)) != nil }
        #expect(compared > names.count / 2)
    }

    /// A film of large frames: what is read is its index and the heads of its sync samples.
    @Test func littleIsRead() throws {
        let source = try scratch.source(try film(.plain))
        let asset = try Probe.asset(of: source)
        let track = try #require(asset.tracks.first { $0.kind == .video })
        func read(_ omits: Bool) throws -> (packets: [Int64], bytes: Int64) {
            let demuxer = try Demuxer(source, quick: true)
            demuxer.select(track: track.index)
            if omits { demuxer.omitContents(of: track.index, but: 1000) }
            let packet = try Packet()
            var found: [Int64] = []
            while case .packet = demuxer.read(into: packet) {
                found += [packet.pts ?? -1, packet.dts ?? -1, Int64(packet.size)]
            }
            return (found, demuxer.bytesRead)
        }
        let (all, few) = (try read(false), try read(true))
        #expect(all.packets == few.packets && all.packets.count == 3 * 150)
        #expect(all.bytes > source.size * 7 / 10)
        #expect(few.bytes < all.bytes / 4, "\(few.bytes) of \(all.bytes)")
    }
}
