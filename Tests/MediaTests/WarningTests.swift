// The stable words of warnings and reasons, as scripts have read them from the first version on.
import Media
import MediaTime
import Testing

@Suite struct WarningTests {
    /// A word that is missing here is new; a word that is missing there was renamed, which breaks scripts.
    @Test func theWordsOfWarningsNeverChange() {
        let words = [
            "damagedMedia", "damagedBefore", "truncated", "timestamps", "shapeChanged", "gap", "endClamped",
            "snapped", "timeRounded", "frameMeant",
            "movedToSyncStart", "movedToSyncEnd", "noFrameYet", "afterLastFrame", "firstFrameCut",
            "lastPictureLength", "audioOffset", "audioPadded", "hiddenStart", "dataUncut", "encodedInstead",
            "timesFromRate",
            "typeChanged",
            "limitMayNotFit", "bufferUnderflow",
            "videoDropped",
            "audioDropped", "downmixed", "alphaLost", "captionsLost", "croppedToAperture", "deinterlaced",
            "depthLowered", "dolbyVisionLost", "frameRateLowered", "secondViewLost", "toneMapped",
            "glyphMissing",
            "fontMissing",
            "subtitlesUnread",
            "nothingDrawn",
            "loudnessUnknown",
            "loudnessLimited", "loudnessChanged", "soundOnly", "rateLowered", "audioTracks", "notRecorded",
            "decoderNotFound",
            "undecodableMediaData",
        ]
        #expect(Set(WarningCode.allCases.map(\.rawValue)) == Set(words))
    }

    @Test func theWordsOfReasonsNeverChange() {
        let words = [
            "noAudioTrack", "noVideoTrack", "alphaLost", "hdrLost", "dolbyVisionOnly", "rotationLost",
            "aspectLost", "timingLost",
            "levelExceeded", "notEnoughMemory", "onePassOnly", "pictureTooSmall", "toneMapNotFound",
            "twoPassNeedsRate", "codecNotInContainer", "rateNotInContainer", "optionsNeedEncoding",
        ]
        #expect(Set(ReasonCode.allCases.map(\.rawValue)) == Set(words))
    }

    @Test(arguments: WarningCode.allCases) func eachIsWrittenAsItsWord(_ code: WarningCode) throws {
        let warning = Warning(code, "m", time: Time(1, 2), track: 3)
        #expect(warning.code == code && warning.word == code.rawValue)
        #expect(try roundTrip(warning) == warning)
        #expect(try encoded(warning).contains(#""code":"\#(code.rawValue)""#))
    }

    /// A queue outlives versions: a word of another one is kept, and means nothing here.
    @Test func aWordOfAnotherVersionIsKept() throws {
        let warning = try decoded(Warning.self, #"{"code":"brandNew","message":"m"}"#)
        #expect(warning.code == nil && warning.word == "brandNew")
        #expect(try roundTrip(warning) == warning)
    }
}
