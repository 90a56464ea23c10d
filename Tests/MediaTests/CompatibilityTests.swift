// The compatibility of presets: which are valid for an asset, why the others are not, and what is lost.
import Media
import MediaTime
import Testing

struct CompatibilityTests {
    private let compatibility = Compatibility(encoders: [
        "libx264", "libx265", "libsvtav1", "libvpx-vp9", "prores_ks", "aac", "libopus", "flac", "pcm_s16le",
        "gif", "libmp3lame",
    ])
    private let catalogue = PresetCatalogue(folders: [builtInFolder()])

    private func check(_ id: String, _ asset: Asset, type: String? = nil) throws -> PresetCompatibility {
        compatibility.check(try catalogue.preset(id), for: asset, fileType: type)
    }

    private func film(_ change: (inout Track) -> Void = { _ in }) throws -> Asset {
        var video = try track(0, .video, "hevc")
        video.video?.frameRate = Ratio(12)
        change(&video)
        return asset(video, try track(1, .audio, "ac3"))
    }

    // MARK: Valid

    @Test func aFilmIsValidForAllPresets() throws {
        let report = compatibility.report(try film(), presets: catalogue.presets)
        #expect(report.canTrim)
        #expect(report.reason == nil)
        #expect(report.presets.map(\.id) == catalogue.presets.map(\.id))
        for result in report.presets {
            #expect(result.valid)
            #expect(result.reasons.isEmpty)
            let preset = try catalogue.preset(result.id)
            #expect(result.render == (preset.isPassthrough ? .smart : .encode))
            let held = preset.fileTypes.filter { name in
                FileType(rawValue: name).map { $0.holds("hevc") && $0.holds("ac3") } ?? false
            }
            #expect(Set(result.fileTypes) == Set(preset.isPassthrough ? held : preset.fileTypes))
            #expect(
                result.warnings.map(\.code).filter { $0 != "downmixed" }
                    == (preset.isPassthrough
                        ? []
                        : preset.video == nil
                            ? ["videoDropped"] : preset.audio == nil ? ["audioDropped"] : []))
        }
    }

    @Test func audioAloneGivesM4AUnderAnM4VPreset() throws {
        let audio = asset(try track(0, .audio, "flac"))
        let result = try check("m4v720", audio)
        #expect(result.valid)
        #expect(result.fileTypes == ["m4a"])
        #expect(try self.check("m4v720", audio, type: "m4a").valid)
        let wrong = try self.check("m4v720", audio, type: "m4v")
        #expect(!wrong.valid)
        #expect(wrong.reasons.map(\.code) == ["outputTypeNotValid"])
    }

    @Test func coverArtIsNoVideo() throws {
        var cover = try track(1, .video, "png")
        cover.dispositions = ["attached_pic"]
        let song = asset(try track(0, .audio, "flac"), cover)
        #expect(try check("m4v720", song).fileTypes == ["m4a"])
        #expect(compatibility.obstacle(of: asset(cover))?.code == .noSourceTrack)
        let mp4 = try check("1280x720", song)
        #expect(mp4.reasons.map(\.code) == ["noVideoTrack"])
    }

    @Test func aSilentFilmNeedsNoAudioEncoder() throws {
        let silent = asset(try track(0, .video, "h264"))
        let compatibility = Compatibility(encoders: ["libx264"])
        #expect(compatibility.check(try catalogue.preset("m4v720"), for: silent).valid)
    }

    // MARK: Not valid

    @Test func videoAloneIsNotValidForM4A() throws {
        let result = try check("m4a", asset(try track(0, .video, "h264")))
        #expect(!result.valid)
        #expect(result.reasons.map(\.code) == ["noAudioTrack"])
        #expect(result.reasons.first?.remedy?.contains("m4v720") == true)
        #expect(result.fileTypes.isEmpty)
        #expect(result.render == nil)
    }

    @Test(arguments: [90, 180, 270, 0]) func rotatedVideoIsCopiedWhereTheTypeStoresRotation(_ degrees: Int)
        throws
    {
        let turned = try film { video in
            video.codec = "h264"
            video.video?.rotation = degrees
            video.video?.isMirrored = degrees == 0
        }
        for (type, isValid) in [("mp4", true), ("mov", true), ("m4v", true), ("mkv", false), ("ts", false)] {
            let result = try check("passthrough", turned, type: type)
            #expect(result.valid == isValid, "\(type)")
            #expect(result.reasons.map(\.code) == (isValid ? [] : ["rotationLost"]), "\(type)")
        }
    }

    @Test func alphaBesideTheVideoIsCopiedWhereTheTypeHoldsIt() throws {
        let clear = try film { video in
            video.codec = "vp9"
            video.video?.hasAlpha = true
        }
        for (type, isValid) in [("webm", true), ("mkv", true), ("mp4", false)] {
            let result = try check("passthrough", clear, type: type)
            #expect(result.valid == isValid, "\(type)")
            #expect(result.reasons.map(\.code) == (isValid ? [] : ["alphaLost"]), "\(type)")
        }
    }

    @Test func audioAloneIsNotValidForAPlainVideoPreset() throws {
        let result = try check("1280x720", asset(try track(0, .audio, "flac")))
        #expect(result.reasons.map(\.code) == ["noVideoTrack"])
    }

    @Test(arguments: [TrackKind.video, .audio]) func protectedMediaStopsEverything(_ kind: TrackKind) throws {
        var secret = try track(0, kind, "h264")
        secret.isProtected = true
        let asset = asset(secret, try track(1, .audio, "aac"))
        let error = try #require(compatibility.obstacle(of: asset))
        #expect(error.code == .contentIsProtected)
        #expect(error.code.exitCode == 7)
        #expect(error.track == 0)
        let report = compatibility.report(asset, presets: catalogue.presets)
        #expect(!report.canTrim)
        #expect(report.reason?.code == "contentIsProtected")
        #expect(report.presets.count == catalogue.presets.count)
        #expect(report.presets.allSatisfy { !$0.valid && $0.reasons.map(\.code) == ["contentIsProtected"] })
    }

    @Test func nothingThatDecodesStopsEverything() throws {
        var strange = try track(0, .video, "rv60")
        strange.isDecodable = false
        let error = try #require(compatibility.obstacle(of: asset(strange)))
        #expect(error.code == .decoderNotFound)
        #expect(error.message.contains("rv60"))
    }

    @Test func neitherVideoNorAudioStopsEverything() throws {
        #expect(compatibility.obstacle(of: asset(try track(0, .subtitle, "ass")))?.code == .noSourceTrack)
        #expect(compatibility.obstacle(of: asset())?.code == .noSourceTrack)
    }

    @Test func undecodableVideoIsValidForAudioOnly() throws {
        let asset = try film { $0.isDecodable = false }
        #expect(compatibility.obstacle(of: asset) == nil)
        let video = try check("m4v720", asset)
        #expect(!video.valid)
        #expect(video.reasons.map(\.code) == ["decoderNotFound"])
        #expect(try check("m4a", asset).valid)
    }

    @Test func undecodableAudioIsLeftOutBesideOther() throws {
        var audio = try track(1, .audio, "ac4")
        audio.isDecodable = false
        let asset = asset(try track(0, .video, "h264"), audio, try track(2, .audio, "aac"))
        let result = try check("m4v720", asset)
        #expect(result.valid)
        #expect(result.warnings.map(\.code) == ["decoderNotFound"])
        #expect(try check("m4a", asset).valid)
    }

    /// Audio that nobody asked to leave out is not left out of a preset that has audio.
    @Test func theOnlyAudioIsNeverLeftOut() throws {
        var audio = try track(1, .audio, "ac4")
        audio.isDecodable = false
        let asset = asset(try track(0, .video, "h264"), audio)
        for preset in ["m4v720", "m4a"] {
            let result = try check(preset, asset)
            #expect(!result.valid)
            #expect(result.reasons.map(\.code) == ["decoderNotFound"])
            #expect(result.reasons.first?.remedy?.contains("--audio none") == true)
        }
        var options = ExportOptions()
        options.audio = "none"
        let preset = try catalogue.preset("m4v720")
        #expect(compatibility.check(preset, for: asset, options: options).valid)
        #expect(try check("gif", asset).valid)
        #expect(try check("passthrough", asset).valid)
    }

    @Test func aMissingEncoderIsNamed() throws {
        let none = Compatibility(encoders: [])
        let result = none.check(try catalogue.preset("m4v720"), for: try film())
        #expect(!result.valid)
        #expect(result.reasons.map(\.code) == ["encoderNotFound", "encoderNotFound"])
        #expect(result.reasons.contains { $0.message.contains("libx264") })
        #expect(result.reasons.contains { $0.message.contains("aac") })
    }

    @Test func aTypeThePresetDoesNotGiveIsRefused() throws {
        let wrong = try check("m4v720", try film(), type: "mov")
        #expect(!wrong.valid)
        #expect(wrong.reasons.map(\.code) == ["outputTypeNotValid"])
        #expect(wrong.reasons.first?.message.contains(".m4v") == true)
        #expect(try check("1280x720", try film(), type: "mov").valid)
        #expect(try check("1280x720", try film(), type: "mp4").valid)
    }

    // MARK: Warnings

    /// One property of the video and the warning it gives.
    struct Notable: CustomTestStringConvertible, Sendable {
        var code: String
        var says: String
        var change: @Sendable (inout VideoFormat) -> Void
        var testDescription: String { code + " " + says }
    }

    @Test(arguments: [
        Notable(code: "toneMapped", says: "pq") { $0.color.transfer = "smpte2084" },
        Notable(code: "toneMapped", says: "hdr10") {
            $0.color.transfer = "smpte2084"
            $0.color.contentLight = [1000, 400]
        },
        Notable(code: "toneMapped", says: "hlg") { $0.color.transfer = "arib-std-b67" },
        Notable(code: "deinterlaced", says: "interlaced") { $0.fieldOrder = .topFieldFirst },
        Notable(code: "deinterlaced", says: "interlaced") { $0.fieldOrder = .bottomFieldFirst },
        Notable(code: "frameRateLowered", says: "50 is lowered to 25") { $0.frameRate = Ratio(50) },
        Notable(code: "frameRateLowered", says: "59.94 is lowered to 29.97") {
            $0.frameRate = Ratio(60_000, 1001)
        },
        Notable(code: "frameRateLowered", says: "30.12 is lowered to 30") { $0.frameRate = Ratio(753, 25) },
        Notable(code: "frameRateLowered", says: "90 is lowered to at most 30") {
            ($0.frameRate, $0.isVariable) = (Ratio(90), true)
        },
    ]) func whatIsLostIsSaid(_ notable: Notable) throws {
        let asset = try film { track in
            if var video = track.video {
                notable.change(&video)
                track.video = video
            }
        }
        let result = try check("m4v720", asset)
        #expect(result.valid)
        #expect(result.warnings.map(\.code) == [notable.code])
        #expect(result.warnings.first?.message.contains(notable.says) == true)
    }

    @Test func alphaIsKeptRefusedOrLaidUponAGround() throws {
        let asset = try film { $0.video?.hasAlpha = true }
        var options = ExportOptions()
        options.background = ExportOptions.refusedGround
        let refused = compatibility.check(try catalogue.preset("m4v720"), for: asset, options: options)
        #expect(!refused.valid)
        #expect(refused.reasons.map(\.code) == ["alphaLost"])
        #expect(refused.reasons.first?.remedy?.contains("prores4444") == true)
        for id in ["prores4444", "vp9-720"] { #expect(try check(id, asset).warnings.isEmpty) }
        let flat = try check("m4v720", asset)
        #expect(flat.valid)
        #expect(flat.warnings.map(\.code) == ["alphaLost"])
    }

    @Test func hdrStaysInTenBitsAndMayBeRefusedInEight() throws {
        let asset = try film { $0.video?.color.transfer = "smpte2084" }
        #expect(try check("hevc1080", asset).warnings.isEmpty)
        var options = ExportOptions()
        options.hdr = .refuse
        let refused = compatibility.check(try catalogue.preset("m4v720"), for: asset, options: options)
        #expect(refused.reasons.map(\.code) == ["hdrLost"])
        #expect(compatibility.check(try catalogue.preset("av1-1080"), for: asset, options: options).valid)
        var poor = compatibility
        poor.canToneMap = false
        #expect(
            poor.check(try catalogue.preset("m4v720"), for: asset).reasons.map(\.code) == [
                "toneMapNotFound"
            ])
    }

    @Test func whatIsLargerThanAnyLevelIsRefused() throws {
        let huge = try film {
            $0.video?.width = 16384
            $0.video?.height = 16384
        }
        #expect(try check("highest", huge).reasons.map(\.code) == ["levelExceeded"])
        #expect(try check("m4v720", huge).valid, "it fits a box")
        let fast = try film { $0.video?.frameRate = Ratio(100_000) }
        #expect(try check("highest", fast).reasons.map(\.code) == ["levelExceeded"])
        var options = ExportOptions()
        options.frameRate = Ratio(60)
        #expect(compatibility.check(try catalogue.preset("highest"), for: fast, options: options).valid)
    }

    @Test func whatIsTooSmallOrTooLargeForAnEncoderIsRefused() throws {
        let small = try film {
            $0.video?.width = 48
            $0.video?.height = 48
        }
        #expect(try check("av1-1080", small).reasons.map(\.code) == ["pictureTooSmall"])
        #expect(try check("m4v720", small).valid)
        var poor = compatibility
        poor.memory = 1 << 30
        let huge = try film {
            $0.video?.width = 7680
            $0.video?.height = 4320
        }
        let result = poor.check(try catalogue.preset("hevc4320"), for: huge)
        #expect(result.reasons.map(\.code) == ["notEnoughMemory"])
        #expect(poor.check(try catalogue.preset("hevc1080"), for: huge).valid)
    }

    @Test func eachTypeIsCheckedByItself() throws {
        var options = ExportOptions()
        options.videoCodec = .av1
        let result = compatibility.check(try catalogue.preset("hevc1080"), for: try film(), options: options)
        #expect(result.valid && Set(result.fileTypes) == ["mp4", "mkv"])
        let mov = try #require(result.types?.first { $0.type == "mov" })
        #expect(!mov.valid && mov.reasons.map(\.code) == ["codecNotInContainer"])
        let asked = compatibility.check(
            try catalogue.preset("hevc1080"), for: try film(), fileType: "mov", options: options)
        #expect(!asked.valid && asked.reasons.map(\.code) == ["codecNotInContainer"])
    }

    @Test(arguments: [Ratio(30), Ratio(12)]) func aRateWithinTheCapIsNotLowered(_ rate: Ratio) throws {
        #expect(try check("m4v720", try film { $0.video?.frameRate = rate }).warnings.isEmpty)
        #expect(try check("1280x720", try film { $0.video?.frameRate = Ratio(60) }).warnings.isEmpty)
    }
}
