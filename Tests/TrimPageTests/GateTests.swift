// Who may use the page: every combination of a wrong host, origin, session and ticket is refused.
import Testing

@testable import TrimPage

@Suite struct GateTests {
    private let address = PageAddress(numbers: [9, 8, 7], port: 20_001)
    private let host = "127.9.8.7:20001"

    private func request(
        _ headers: [String: String], _ path: String = "/api/library", method: String = "GET",
        ticket: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, path: path, headers: headers)
        request.arguments["ticket"] = ticket
        return request
    }

    private func session(_ gate: Gate) throws -> String {
        let token = try #require(gate.token)
        return try #require(gate.begin(token))
    }

    @Test func theTokenIsExchangedForASession() throws {
        let gate = Gate(address, earlierToken: "earlier")
        let token = try #require(gate.token)
        #expect(token.utf8.count == 48 && Gate(address).token != token)
        let one = try session(gate)
        let other = try session(gate)
        #expect(one != other && one != token)
        #expect(gate.begin("earlier") != nil)
        for wrong in ["", "0", "earlie", token + "0", one] { #expect(gate.begin(wrong) == nil) }
        for name in [host, "127.0.0.1:20001", "LOCALHOST:20001"] {
            #expect(gate.check(request(["host": name, "x-trim-session": one])) == nil, "\(name)")
        }
        // The page's own files hold no secret.
        #expect(gate.check(request(["host": host], "/app.js")) == nil)
    }

    @Test func othersAreRefused() throws {
        let gate = Gate(address)
        let session = try session(gate)
        for (headers, status) in [
            (["host": host], 403), (["host": host, "x-trim-session": session + "0"], 403),
            (["host": host, "x-trim-session": ""], 403),
            (["host": host, "x-trim-session": try #require(gate.token)], 403),
            (["host": host, "cookie": "trim-page=\(session)"], 403), (["x-trim-session": session], 421),
            (["host": "evil.example:20001", "x-trim-session": session], 421),
            (["host": "127.9.8.7", "x-trim-session": session], 421),
            (["host": "127.9.8.7:20002", "x-trim-session": session], 421),
            (["host": "127.9.8.6:20001", "x-trim-session": session], 421),
            (["host": host, "x-trim-session": session, "origin": "http://evil.example"], 403),
            (["host": host, "x-trim-session": session, "origin": "http://127.9.8.7:20002"], 403),
            (["host": host, "x-trim-session": session, "origin": "null"], 403),
            (["host": host, "x-trim-session": session, "origin": "https://\(host)"], 403),
            (["host": host, "x-trim-session": session, "sec-fetch-site": "cross-site"], 403),
            (["host": host, "x-trim-session": session, "sec-fetch-site": "same-site"], 403),
        ] {
            #expect(gate.check(request(headers))?.status == status, "\(headers)")
        }
    }

    @Test func aTicketOpensItsFileOnly() throws {
        let gate = Gate(address)
        let session = try session(gate)
        let (path, headers) = ("/api/assets/a/file", ["host": host])
        let ticket = gate.sessions.ticket(of: session, for: path)
        #expect(gate.check(request(headers, path, ticket: ticket)) == nil)
        #expect(gate.session(of: request(headers, path, method: "HEAD", ticket: ticket)) == session)
        for (other, method) in [
            ("/api/assets/b/file", "GET"), ("/api/assets/a/probe", "GET"), ("/api/library", "GET"),
            (path, "POST"),
        ] {
            #expect(
                gate.session(of: request(headers, other, method: method, ticket: ticket)) == nil,
                "\(method) \(other)")
        }
        #expect(gate.check(request(headers, path, ticket: ticket + "0"))?.status == 403)
        // It holds some time from its last use on.
        let now = ContinuousClock.now
        #expect(gate.sessions.session(of: ticket, at: path, now: now + Sessions.ticketLife * 0.9) == session)
        #expect(gate.sessions.session(of: ticket, at: path, now: now + Sessions.ticketLife * 1.8) == session)
        #expect(gate.sessions.session(of: ticket, at: path, now: now + Sessions.ticketLife * 3) == nil)
    }

    @Test func theOldestSessionsGoFirst() {
        let sessions = Sessions()
        let now = ContinuousClock.now
        let all = (0...Sessions.most).map { sessions.begin(at: now + .seconds($0)) }
        #expect(!sessions.isKnown(all[0]) && all.dropFirst().allSatisfy { sessions.isKnown($0) })
    }

    @Test func addressesAreByChanceAndOfThisMachine() {
        let all = (0..<100).map { _ in PageAddress.random() }
        #expect(Set(all).count > 95)
        for one in all {
            #expect(one.raw >> 24 == 127 && one.raw != 0x7f00_0001 && one.port >= 20_000 && one.port < 32_768)
            #expect(one.text.hasPrefix("127.") && one.text.hasSuffix(":\(one.port)"))
        }
        #expect(address.raw == 0x7f09_0807 && address.text == host)
    }

    @Test func aPostNamesItsOriginAndType() throws {
        let gate = Gate(address)
        let good = [
            "host": host, "x-trim-session": try session(gate), "origin": "http://\(host)",
            "content-type": "application/json",
        ]
        #expect(gate.check(request(good, method: "POST")) == nil)
        for (name, value) in [("origin", nil), ("content-type", nil), ("content-type", "text/plain")]
            as [(String, String?)]
        {
            #expect(
                gate.check(
                    request(
                        good.merging([name: value ?? ""]) { $1 }.filter { !$0.value.isEmpty }, method: "POST")
                )?.status == 403)
        }
    }

    @Test func behindAProxyItsNamesCount() {
        let gate = Gate(hosts: ["Films.example"])
        #expect(gate.check(request(["host": "films.example"])) == nil)
        #expect(gate.check(request(["host": "films.example", "origin": "https://films.example"])) == nil)
        #expect(
            gate.check(request(["host": "films.example", "origin": "https://evil.example"]))?.status == 403)
        #expect(gate.check(request(["host": "127.0.0.1"]))?.status == 421)
        // A session is there for the PIN.
        #expect(gate.begin("") != nil)
    }
}
