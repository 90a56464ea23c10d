// Presets of HandBrake's: what is carried over, what is named as near or left out, and files that are none.
import Foundation
import Media
import MediaTime
import Testing

@testable import Lists

@Suite struct HandBrakeTests {
    /// A preset as HandBrake 1.6 exports it, with other values for some of its settings.
    private func preset(_ changes: [String: String] = [:], audio: [String] = [Self.aac]) -> String {
        var keys = [
            "PresetName": #""Fast 720p30""#, "FileFormat": #""av_mp4""#, "ChapterMarkers": "true",
            "MetadataPassthrough": "true", "VideoEncoder": #""x264""#, "VideoProfile": #""main""#,
            "VideoLevel": #""3.1""#, "VideoPreset": #""fast""#, "VideoQualityType": "2",
            "VideoQualitySlider": "21.0", "VideoAvgBitrate": "3000", "VideoTwoPass": "true",
            "VideoFramerate": #""30""#, "VideoFramerateMode": #""pfr""#, "VideoOptionExtra": #""""#,
            "PictureWidth": "1280", "PictureHeight": "720", "PicturePAR": #""off""#, "PictureCropMode": "2",
            "PictureDeinterlaceFilter": #""off""#, "PictureDenoiseFilter": #""off""#,
            "SubtitleBurnBehavior": #""none""#, "AudioTrackSelectionBehavior": #""first""#,
            "AudioEncoderFallback": #""av_aac""#, "AudioList": "[\(audio.joined(separator: ","))]",
        ]
        keys.merge(changes) { $1 }
        return "{" + keys.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",\n") + "}"
    }

    private static let aac =
        #"{"AudioEncoder": "av_aac", "AudioBitrate": 160, "AudioMixdown": "stereo", "AudioSamplerate": "auto"}"#

    private func imported(_ text: String) throws -> ImportedPreset {
        let all = try HandBrakePresets.read(Array(#"{"PresetList": [\#(text)], "VersionMajor": 50}"#.utf8))
        return try #require(all.first)
    }

    @Test func whatBothHaveIsCarried() throws {
        let found = try imported(preset())
        let made = try #require(found.preset, "\(found.reason ?? "")")
        let video = try #require(made.video), audio = try #require(made.audio)
        #expect(made.id == "fast-720p30" && made.name == "Fast 720p30" && made.fileTypes.first == "mp4")
        #expect(video.encoder == "libx264" && video.profile == "main" && video.level == "3.1")
        #expect(video.crf == 21 && video.bitRate == nil && video.twoPass == nil && video.speed == "fast")
        #expect(video.maxWidth == 1280 && video.maxHeight == 720 && video.maxFrameRate == Ratio(30))
        // As HandBrake lets a level bound the rates.
        #expect(video.maxBitRate == 14_000_000 && video.bufferSize == 14_000_000)
        #expect(video.keyframeInterval == Ratio(10) && made.alwaysEncodes)
        #expect(audio.codec == "aac" && audio.bitRate == 160_000 && audio.maxChannels == 2)
        #expect(found.notes(.leftOut).isEmpty && found.notes(.carried).count == 2)
    }

    /// Each setting that has no counterpart is named, with its value.
    @Test(arguments: [
        ("PictureDenoiseFilter", #""nlmeans""#), ("PictureDeblockPreset", #""strong""#),
        ("PictureSharpenFilter", #""unsharp""#), ("PictureDetelecine", #""default""#),
        ("PictureColorspacePreset", #""bt709""#), ("PictureCropMode", "0"), ("PictureAllowUpscaling", "true"),
        ("PictureRotate", #""angle=90:hflip=0""#), ("PicturePadMode", #""fill""#), ("VideoGrayScale", "true"),
        ("SubtitleBurnBehavior", #""foreign""#), ("MetadataPassthrough", "false"),
        ("ChapterMarkers", "false"),
        ("Mp4iPodCompatible", "true"), ("ASettingOfTheFuture", #""on""#),
        ("AudioTrackSelectionBehavior", #""all""#),
    ])
    func whatIsLeftOutIsNamed(key: String, value: String) throws {
        let found = try imported(preset([key: value]))
        #expect(found.preset != nil)
        let plain = value.replacingOccurrences(of: "\"", with: "")
        #expect(found.notes(.leftOut).map(\.setting) == ["\(key)=\(plain)"])
    }

    @Test func hardwareEncodersBecomeSoftware() throws {
        for (name, encoder) in [
            ("nvenc_h265_10bit", "libx265"), ("qsv_h264", "libx264"), ("vce_h265", "libx265"),
            ("mf_h264", "libx264"), ("qsv_av1_10bit", "libsvtav1"), ("vt_h265_10bit", "libx265"),
        ] {
            let found = try imported(
                preset([
                    "VideoEncoder": "\"\(name)\"", "VideoPreset": #""balanced""#, "VideoLevel": #""auto""#,
                ]))
            #expect(found.preset?.video?.encoder == encoder, "\(name): \(found.reason ?? "")")
            #expect(found.preset?.video?.pixelFormat == (name.hasSuffix("10bit") ? "yuv420p10le" : "yuv420p"))
            #expect(found.notes(.approximated).contains { $0.setting == "VideoEncoder=\(name)" })
        }
        let found = try imported(preset(["VideoEncoder": #""theora""#]))
        #expect(found.preset == nil && found.reason?.contains("theora") == true)
    }

    /// The encoders of HandBrake's own presets, as the releases spell them.
    @Test(
        arguments: [
            ("x264", "high", "libx264", "high", "yuv420p"),
            ("x265_10bit", "main10", "libx265", "main10", "yuv420p10le"),
            ("svt_av1_10bit", "main", "libsvtav1", nil, "yuv420p10le"),
            ("VP9", "auto", "libvpx-vp9", nil, "yuv420p"),
            ("vp9", "auto", "libvpx-vp9", nil, "yuv420p"),
            ("VP9_10bit", "auto", "libvpx-vp9", nil, "yuv420p10le"),
            ("VP8", "auto", "libvpx", nil, "yuv420p"), ("vp8", "auto", "libvpx", nil, "yuv420p"),
            ("prores", "proxy", "prores_ks", "proxy", "yuv422p10le"),
            ("prores", "hq", "prores_ks", "hq", "yuv422p10le"),
            ("prores", "lt", "prores_ks", "lt", "yuv422p10le"),
            ("prores", "4444", "prores_ks", "4444", "yuv444p10le"),
            ("prores", "standard", "prores_ks", "standard", "yuv422p10le"),
            ("dnxhr", "lb", "dnxhd", "dnxhr_lb", "yuv422p"), ("dnxhr", "sq", "dnxhd", "dnxhr_sq", "yuv422p"),
            ("dnxhr_10bit", "hqx", "dnxhd", "dnxhr_hqx", "yuv422p10le"), ("ffv1", "", "ffv1", nil, "yuv420p"),
        ] as [(String, String, String, String?, String)])
    func everyEncoderOfTheOwnPresetsIsImported(
        name: String, profile: String, encoder: String, made: String?, pixels: String
    ) throws {
        let found = try imported(
            preset(
                [
                    "VideoEncoder": "\"\(name)\"", "VideoProfile": "\"\(profile)\"", "VideoLevel": #""auto""#,
                    "VideoPreset": #""auto""#, "VideoQualitySlider": "0.0", "VideoAvgBitrate": "0",
                    "FileFormat": #""mov""#, "AudioEncoderFallback": #""pcm24""#, "Optimize": "true",
                ], audio: [#"{"AudioEncoder": "copy", "AudioMixdown": "none"}"#]))
        let preset = try #require(found.preset, "\(name): \(found.reason ?? "")")
        #expect(preset.video?.encoder == encoder && preset.video?.profile == made)
        #expect(preset.video?.pixelFormat == pixels && preset.fileTypes.first == "mov")
        #expect(preset.audio?.codec.hasPrefix("pcm") == true && preset.optimizeForNetwork)
        #expect(found.notes(.approximated).contains { $0.setting == "AudioEncoder=copy" })
    }

    @Test func ratesAndOptions() throws {
        let found = try imported(
            preset([
                "VideoQualityType": "1", "VideoFramerate": #""29.97""#, "VideoTune": #""film""#,
                "VideoOptionExtra": #""keyint=60:min-keyint=1:ref=2:vbv-maxrate=9500:vbv-bufsize=9000""#,
            ]))
        let video = try #require(found.preset?.video)
        #expect(video.bitRate == 3_000_000 && video.crf == nil && video.twoPass == true)
        #expect(video.maxFrameRate == Ratio(30000, 1001) && video.keyframeInterval == Ratio(2))
        #expect(video.maxBitRate == 9_500_000 && video.bufferSize == 9_000_000)
        #expect(video.options == ["x264-params": "ref=2", "tune": "film"])
        let intra = try imported(preset(["VideoOptionExtra": #""keyint=1:min-keyint=1""#]))
        #expect(intra.preset?.video?.keyframeInterval == Ratio(1, 10))
        #expect(intra.preset?.video?.options == ["x264-params": "keyint=1"])
    }

    @Test func audioTracks() throws {
        func audio(_ words: String) throws -> (settings: AudioSettings?, notes: [ImportedPreset.Note]) {
            let found = try imported(preset(audio: [words]))
            return (found.preset?.audio, found.notes)
        }
        let mono = try audio(#"{"AudioEncoder": "opus", "AudioBitrate": 48, "AudioMixdown": "mono"}"#)
            .settings
        #expect(mono?.encoder == "libopus" && mono?.bitRate(channels: 1, sampleRate: 48000) == 48_000)
        let surround = try audio(
            #"{"AudioEncoder": "av_aac", "AudioBitrate": 320, "AudioMixdown": "5point1", "AudioSamplerate": "44.1"}"#
        ).settings
        #expect(surround?.maxChannels == 6 && surround?.surroundBitRate == 320_000)
        #expect(surround?.maxSampleRate == 44_100)
        let copied = try audio(#"{"AudioEncoder": "copy:ac3"}"#)
        #expect(copied.settings?.codec == "aac")
        #expect(
            copied.notes.contains { $0.treatment == .approximated && $0.setting == "AudioEncoder=copy:ac3" })
        #expect(try imported(preset(audio: [])).preset?.audio == nil)
        let two = try imported(preset(audio: [Self.aac, #"{"AudioEncoder": "copy:ac3"}"#]))
        #expect(two.notes(.leftOut).map(\.setting) == ["AudioList"])
    }

    @Test func foldersAreWalkedAndNamesAreFree() throws {
        let text = """
            [{"PresetName": "General", "Folder": true, "ChildrenArray": [\(preset()), {"PresetName": "Deep",
            "Folder": true, "ChildrenArray": [\(preset())]}]}]
            """
        let all = try HandBrakePresets.read(Array(text.utf8))
        #expect(all.map(\.name) == ["General/Fast 720p30", "General/Deep/Fast 720p30"])
        #expect(all.map { $0.preset?.id } == ["fast-720p30", "fast-720p30-2"])
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"PresetList": []}"#, #"{"PresetList": [1]}"#, #"{"cutSegments": []}"#,
        #"{"PresetList": [{"Folder": true, "PresetName": "empty", "ChildrenArray": []}]}"#,
    ])
    func whatIsNoneIsSaid(text: String) {
        let fault = #expect(throws: ListFault.self) { try HandBrakePresets.read(Array(text.utf8)) }
        #expect(fault?.message.isEmpty == false)
    }

    /// Numbers that no film has: a preset that trimd would refuse is not made.
    @Test(arguments: [
        ("VideoQualitySlider", "1e300"), ("PictureWidth", "1e300"), ("VideoAvgBitrate", "-1"),
        ("VideoFramerate", #""1e9""#),
        ("VideoOptionExtra", #""vbv-maxrate=1e300:vbv-bufsize=nan:keyint=inf""#),
        ("VideoOptionExtra", #""=:::=a:keyint""#), ("AudioList", #"[{"AudioBitrate": 1e300}]"#),
        ("VideoOptionExtra", #""vbv-maxrate=900000:vbv-bufsize=900000""#),
    ])
    func numbersOutOfRange(key: String, value: String) throws {
        let found = try imported(preset([key: value]))
        #expect((found.preset == nil) != (found.reason == nil))
    }
}
