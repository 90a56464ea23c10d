// Real files that are damaged or encrypted, exported in every way: what is encrypted is refused, what is damaged gives what decodes
// or an error that names it.
import Export
import Foundation
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct DamagedMediaTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A way of exporting.
    enum Way: CaseIterable, Sendable {
        case encoded, audio, asItIs, copied, smart, joined
    }

    /// As a recorder leaves it that ends within a fragment's header: FFmpeg reads what is before it, and says nothing.
    @Test(arguments: ["moof", "mdat"]) func aMovieInFragmentsThatBreaksOffSaysSo(_ box: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264() + [
                "-g", "25", "-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof",
            ]
        ).make(in: scratch)
        let whole = try Data(contentsOf: URL(filePath: film))
        let last = try #require(whole.range(of: Data(box.utf8), options: .backwards))
        try #require(last.lowerBound > whole.count / 2)
        let cut = scratch.name("mp4")
        try whole.prefix(last.upperBound + 40).write(to: URL(filePath: cut))
        #expect(try !Probe.asset(of: try scratch.source(film)).faults.map(\.code).contains(.truncated))
        #expect(try Probe.asset(of: try scratch.source(cut)).faults.map(\.code).contains(.truncated))
        let made = try export(cut, "passthrough", start: Time(1, 2), in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.auto, "out.mp4")
        }
        #expect(made.result.warnings.contains { $0.code == .truncated })
        try verify(made, in: scratch)
    }

    private func run(_ name: String, _ way: Way, strict: Bool = false) throws -> Made {
        let input = Paths.media + "/" + name
        let preset = way == .encoded ? "m4v480" : way == .audio ? "m4a" : "passthrough"
        let type = way == .encoded ? "m4v" : way == .audio ? "m4a" : name.hasSuffix("webm") ? "webm" : "mkv"
        return try export(input, preset, start: Time(1, 5), in: scratch, type: type) {
            $0.strict = strict
            $0.output.name = "out.\(type)"
            switch way {
            case .encoded, .audio: $0.render = .encode
            case .asItIs: $0.render = .auto
            case .copied: $0.render = .copy
            case .smart: $0.render = .smart
            case .joined:
                $0.render = .auto
                $0.start = nil
                $0.keep = [
                    RangeSpelling(start: .time(Time(1, 5)), end: .time(Time(2, 5))),
                    RangeSpelling(start: .time(Time(1, 1)), end: .time(Time(3, 2))),
                ]
            }
        }
    }

    @Test(
        .enabled(if: Paths.hasMedia("seek_encrypted.webm"), "shared/media does not lie beside the checkout"),
        arguments: ["short-cenc.mp4", "sample_fragmented_clearkey.mp4", "seek_encrypted.webm"], Way.allCases)
    func encryptedMediaIsRefused(_ name: String, _ way: Way) throws {
        let error = try #require(throws: MediaError.self) { _ = try run(name, way) }
        #expect(error.code == .contentIsProtected && error.code.exitCode == 7, "\(error)")
    }

    @Test(
        .enabled(if: Paths.hasMedia("corrupted.mp4"), "shared/media does not lie beside the checkout"),
        arguments: [
            "corrupted.mp4", "no-initial-keyframe.ts", "sample_malformed_free_box.mp4",
            "large_stbl_truncated_after_moov.m4b",
        ], Way.allCases)
    func damagedMediaGivesWhatDecodes(_ name: String, _ way: Way) throws {
        for strict in [false, true] {
            do throws(MediaError) {
                let made = try MediaError.only { try run(name, way, strict: strict) }
                try MediaError.only { try verify(made, in: scratch) }
                if way == .encoded || way == .asItIs, name != "large_stbl_truncated_after_moov.m4b" {
                    #expect(!strict)
                    let note = made.result.warnings.first { [.damagedMedia, .truncated].contains($0.code) }
                    #expect(note?.time != nil, "\(made.result.warnings)")
                }
            } catch {
                #expect(error.code != .unknown && error.code != .verificationFailed, "\(error)")
                #expect(error.code.exitCode != 0)
            }
        }
    }
}

extension MediaError {
    /// Runs what may throw a MediaError and must throw nothing else.
    fileprivate static func only<R>(_ body: () throws -> R) throws(MediaError) -> R {
        do { return try body() } catch let error as MediaError { throw error } catch {
            throw MediaError(.unknown, "not a MediaError: \(error)")
        }
    }
}
