// The PIN: ratings of different systems as ages; the PIN is compared whole, and mistakes cost time.
import Foundation
import Media
import MediaTime
import Testing

@testable import TrimPage

@Suite struct RestrictionTests {
    @Test(arguments: [
        ("PG-13", 13), ("mpaa|R|400|", 17), ("TV-Y7", 7), ("FSK 16", 16), ("12A", 12), ("de-movie|6|100|", 6),
        ("15", 15), ("9", 9),
        ("fr-movie|-16|500|", 16), ("xy|adults|500|", 99),
    ])
    func ratingsAreAges(text: String, years: Int) { #expect(AgeRating(text)?.years == years) }

    @Test(arguments: ["NR", "mpaa|NR|000|", "", "abc", "100", "-1"])
    func othersAreNone(text: String) { #expect(AgeRating(text) == nil) }

    @Test func theHighestRatingOfAFileCounts() {
        func asset(_ metadata: [String: String]) -> Asset {
            Asset(
                container: Container(format: "mp4", name: "mp4"), start: .zero, duration: nil, bytes: 0,
                tracks: [], metadata: metadata)
        }
        #expect(AgeRating(of: asset([:])) == nil)
        #expect(AgeRating(of: asset(["title": "R"])) == nil)
        #expect(AgeRating(of: asset(["iTunEXTC": "mpaa|R|400|"]))?.years == 17)
        #expect(AgeRating(of: asset(["content_rating": "PG"]))?.years == 8)
        #expect(AgeRating(of: asset(["rating": "4", "content_rating": "PG"]))?.years == 18)
        #expect(AgeRating(of: asset(["rating": "2"])) == nil)
    }

    @Test(
        arguments: [
            ("LAW_RATING", "FSK 16", 16), ("LAW_RATING-ger", "16", 16), ("law_rating", "Rated R", 17),
            ("LAW_RATING", "ab 18", 18), ("content_rating", "something else", 99), ("LAW_RATING", "NR", nil),
            ("LAW_RATING", "mpaa|NR|0|", nil), ("certification", "12+", 12), ("title", "FSK 18", nil),
        ] as [(String, String, Int?)])
    func ratingsOfEveryTagCount(tag: String, text: String, years: Int?) throws {
        var track = Track(
            index: 0, kind: .video, codec: "h264", timebase: try #require(Timebase(perSecond: 1000)))
        func asset(_ metadata: [String: String]) -> Asset {
            Asset(
                container: Container(format: "matroska", name: "Matroska"), start: .zero, duration: nil,
                bytes: 0, tracks: [track], metadata: metadata)
        }
        #expect(AgeRating(of: asset([tag: text]))?.years == years)
        track.metadata = [tag: text]
        #expect(AgeRating(of: asset(["title": "a"]))?.years == years, "at the track")
        #expect(AgeRating(of: asset(["content_rating": "G"]))?.years == max(0, years ?? 0), "the highest")
    }

    @Test func aPINOpensForOneBrowser() throws {
        let restriction = Restriction(above: try #require(AgeRating("PG-13")), pin: "2468")
        let now = ContinuousClock.now
        #expect(restriction.open("", for: "a", at: now) == .wrong)
        #expect(restriction.open("2469", for: "a", at: now) == .wrong)
        #expect(!restriction.isOpen(nil) && !restriction.isOpen("") && !restriction.isOpen("a"))
        #expect(restriction.open("2468", for: "a", at: now) == .opened)
        #expect(restriction.isOpen("a") && !restriction.isOpen("b"))
        restriction.close("a")
        #expect(!restriction.isOpen("a"))
    }

    @Test func mistakesCostTheirBrowserTime() throws {
        let restriction = Restriction(above: try #require(AgeRating("12")), pin: "2468")
        let now = ContinuousClock.now
        for _ in 0..<4 { #expect(restriction.open("1111", for: "a", at: now) == .wrong) }
        // The right PIN too is not looked at before the time is over.
        guard case .wait(let seconds) = restriction.open("2468", for: "a", at: now) else {
            Issue.record("there is no wait")
            return
        }
        #expect(seconds <= 3)
        // Another browser does not wait.
        #expect(restriction.open("2468", for: "b", at: now) == .opened)
        #expect(restriction.open("1111", for: "a", at: now + .seconds(4)) == .wrong)
        guard case .wait = restriction.open("2468", for: "a", at: now + .seconds(7)) else {
            Issue.record("the wait does not grow")
            return
        }
        #expect(restriction.open("2468", for: "a", at: now + .seconds(60)) == .opened)
    }

    /// One browser that tries for an hour, as often as it may, makes no other wait; many that try do.
    @Test func thereIsALimitForAll() throws {
        let restriction = Restriction(above: try #require(AgeRating("12")), pin: "2468")
        let begin = ContinuousClock.now
        var tries = 0
        for second in 0..<3600
        where restriction.open("1111", for: "a", at: begin + .seconds(second)) == .wrong { tries += 1 }
        #expect(tries > 10 && tries < Restriction.mostFailures / 2)
        #expect(restriction.open("2468", for: "owner", at: begin + .seconds(3599)) == .opened)
        let later = begin + .seconds(10_000)
        for number in 0..<Restriction.mostFailures {
            #expect(restriction.open("1111", for: "b\(number)", at: later) == .wrong)
        }
        guard case .wait = restriction.open("2468", for: "c", at: later) else {
            Issue.record("nothing limits all browsers")
            return
        }
        #expect(restriction.open("2468", for: "c", at: later + .seconds(3601)) == .opened)
    }

    @Test func aRatingIsLookedUpOnce() throws {
        let restriction = Restriction(above: try #require(AgeRating("12")), pin: "2468")
        var looks = 0
        for _ in 0..<3 {
            let age = try restriction.age(of: "v1") { () throws(MediaError) in
                looks += 1
                return AgeRating("18")
            }
            #expect(age?.years == 18)
        }
        #expect(looks == 1)
        // One that failed is looked up again.
        #expect(throws: MediaError.self) {
            try restriction.age(of: "v2") { () throws(MediaError) in throw MediaError(.fileNotFound, "gone") }
        }
        #expect(try restriction.age(of: "v2") { () throws(MediaError) in nil } == nil)
    }

    @Test func thePINsFileIsTheOwnersAlone() throws {
        let scratch = try Scratch()
        let path = try scratch.file("pin", "1357\nmore")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try PINSource.read(file: path) == "1357")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: MediaError.self) { try PINSource.read(file: path) }
        let short = try scratch.file("short", "12\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: short)
        for wrong in [short, scratch.path, scratch.path + "/none"] {
            #expect(throws: MediaError.self, "\(wrong)") { try PINSource.read(file: wrong) }
        }
    }
}
