// Who may use the page: every combination of a wrong host, origin, key and cookie is refused.
import Testing

@testable import TrimPage

@Suite struct GateTests {
    private func request(_ path: String = "/api/library", _ headers: [String: String], method: String = "GET")
        -> HTTPRequest
    {
        HTTPRequest(method: method, path: path, headers: headers)
    }

    /// The cookie that a gate gives for its token, as a browser sends it back.
    private func cookie(_ gate: Gate) throws -> String {
        var opening = request("/", ["host": "127.0.0.1:8000"])
        opening.arguments["token"] = gate.token
        let answer = try #require(gate.check(opening))
        #expect(answer.status == 200)
        let header = try #require(answer.headers.first { $0.0 == "Set-Cookie" }).1
        #expect(header.contains("; HttpOnly") && header.contains("; SameSite=Strict"))
        return try #require(header.split(separator: ";").first.map(String.init))
    }

    @Test func theTokenIsExchangedForACookie() throws {
        let gate = Gate(port: 8000)
        let token = try #require(gate.token)
        #expect(token.utf8.count == 48 && Gate(port: 8000).token != token)
        let cookie = try cookie(gate)
        #expect(!cookie.contains(token))
        #expect(gate.check(request(["host": "127.0.0.1:8000", "cookie": "a=b; \(cookie)"])) == nil)
        #expect(gate.check(request(["host": "LOCALHOST:8000", "cookie": cookie])) == nil)
    }

    @Test func othersAreRefused() throws {
        let gate = Gate(port: 8000)
        let cookie = try cookie(gate)
        let host = "127.0.0.1:8000"
        for (headers, status) in [
            (["host": host], 403), (["host": host, "cookie": cookie + "0"], 403),
            (["host": host, "cookie": "trim-page-8000="], 403), (["cookie": cookie], 421),
            (["host": "evil.example:8000", "cookie": cookie], 421),
            (["host": "127.0.0.1", "cookie": cookie], 421),
            (["host": "127.0.0.1:8001", "cookie": cookie], 421),
            (["host": host, "cookie": cookie, "origin": "http://evil.example"], 403),
            (["host": host, "cookie": cookie, "origin": "null"], 403),
            (["host": host, "cookie": cookie, "origin": "https://127.0.0.1:8000"], 403),
            (["host": host, "cookie": cookie, "sec-fetch-site": "cross-site"], 403),
            (["host": host, "cookie": cookie, "sec-fetch-site": "same-site"], 403),
        ] {
            #expect(gate.check(request(headers))?.status == status, "\(headers)")
        }
        for token in ["", "0", String(repeating: "0", count: 48)] {
            var opening = request("/", ["host": host])
            opening.arguments["token"] = token
            #expect(gate.check(opening)?.status == 403)
        }
        // The token opens the page only: it is no way past the cookie.
        var direct = request(["host": host])
        direct.arguments["token"] = gate.token
        #expect(gate.check(direct)?.status == 403)
    }

    @Test func aPostNamesItsOriginAndType() throws {
        let gate = Gate(port: 8000)
        let good = [
            "host": "127.0.0.1:8000", "cookie": try cookie(gate), "origin": "http://127.0.0.1:8000",
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
    }

    private func request(_ headers: [String: String], method: String = "GET") -> HTTPRequest {
        request("/api/library", headers, method: method)
    }
}
