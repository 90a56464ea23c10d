// Failures keep their words and their exit codes: scripts rely on both.
import Media
import MediaTime
import Testing

struct ErrorCodeTests {
    @Test(arguments: ErrorCode.allCases) func everyWordHasTheExitCodeOfTheContract(_ code: ErrorCode) {
        let expected: Int32 =
            switch code {
            case .invalidRequest, .invalidTime, .invalidPreset, .presetNotFound, .outputTypeNotValid: 2
            case .presetNotValid: 3
            case .operationCancelled: 4
            case .noDaemon, .queueUnavailable: 5
            case .fileAlreadyExists, .outputIsInput: 6
            case .contentIsProtected, .playlist, .permissionDenied: 7
            case .fileNotFound, .notARegularFile, .notAFolder, .notWritable, .diskFull, .inputOutput,
                .sourceChanged,
                .fileFormatNotRecognized, .fileFailedToParse, .noSourceTrack, .decoderNotFound,
                .encoderNotFound,
                .decodeFailed, .encodeFailed, .undecodableMediaData, .damagedMedia, .operationNotSupported,
                .spliceFailed,
                .outOfMemory, .maximumFileSizeReached, .verificationFailed, .operationInterrupted,
                .workerCrashed,
                .jobNotFound, .jobStateNotValid, .queueDamaged, .limitReached, .sandboxUnavailable,
                .sandboxViolation,
                .workerStalled, .timeLimitReached, .unknown, .parseError, .internalError, .answerTooLong,
                .serverBusy, .dependencyFailed:
                1
            }
        #expect(code.exitCode == expected)
    }

    @Test func theWordsAreWhatScriptsRead() throws {
        let codes = [ErrorCode.contentIsProtected, .invalidTime]
        #expect(try encoded(codes) == #"["contentIsProtected","invalidTime"]"#)
    }

    @Test func anErrorComesBackWhole() throws {
        let error = MediaError(
            .damagedMedia, "it breaks off", time: Time(441_000, 44_100), track: 1, remedy: "copy it again")
        #expect(try roundTrip(error) == error)
        #expect(error.description == "it breaks off; copy it again")
        #expect(MediaError(.unknown, "odd").description == "odd")
    }
}
