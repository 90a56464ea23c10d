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

    @Test func aPINOpensForOneBrowser() throws {
        let restriction = Restriction(above: try #require(AgeRating("PG-13")), pin: "2468")
        let now = ContinuousClock.now
        #expect(restriction.open("", at: now) == .wrong && restriction.open("2469", at: now) == .wrong)
        #expect(!restriction.isOpen("") && !restriction.isOpen("2468"))
        guard case .opened(let secret) = restriction.open("2468", at: now) else {
            Issue.record("the PIN does not open")
            return
        }
        #expect(restriction.isOpen(secret) && !restriction.isOpen(secret + "0"))
        restriction.close(secret)
        #expect(!restriction.isOpen(secret))
    }

    @Test func mistakesCostTime() throws {
        let restriction = Restriction(above: try #require(AgeRating("12")), pin: "2468")
        let now = ContinuousClock.now
        for _ in 0..<4 { #expect(restriction.open("1111", at: now) == .wrong) }
        // The right PIN too is not looked at before the time is over.
        guard case .wait(let seconds) = restriction.open("2468", at: now) else {
            Issue.record("there is no wait")
            return
        }
        #expect(seconds <= 3)
        #expect(restriction.open("1111", at: now + .seconds(4)) == .wrong)
        guard case .wait = restriction.open("2468", at: now + .seconds(7)) else {
            Issue.record("the wait does not grow")
            return
        }
        guard case .opened = restriction.open("2468", at: now + .seconds(60)) else {
            Issue.record("the PIN does not open after the wait")
            return
        }
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
