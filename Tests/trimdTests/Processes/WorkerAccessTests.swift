// The table of all that a worker may send: each message as a worker sends it that a film has taken over, and the manual that shows it.
import Foundation
import Glibc
import Media
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

extension WorkerTests {
    private static func say(_ method: String, _ params: String) -> String {
        #"echo '{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}' >&3"#
    }

    private static let answer = #"echo '{"jsonrpc":"2.0","id":1,"result":{"fine":true}}' >&3"#
    private static let error =
        #"echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"code":"playlist","message":"no"}}}' >&3"#

    /// More of a message than a worker may send. A message without one does not compile.
    private static func tooMuch(of kind: WorkerAccess.Kind) -> String {
        func repeated(_ count: Int, _ words: String) -> String {
            "i=0; while [ $i -lt \(count) ]; do i=$((i+1)); \(words); done"
        }
        switch kind {
        case .notification(.sealed):
            let seal = { (number: Int) in #"{"landlock":\#(number),"seccomp":true,"missing":["\#(number)"]}"#
            }
            return say("sealed", seal(1)) + "; " + say("sealed", seal(2))
        case .notification(.alive): return repeated(400, say("alive", "{}"))
        case .notification(.progress):
            return repeated(400, say("progress", #"{"fraction":1e308,"phase":"exporting"}"#))
        case .notification(.planned): return repeated(150, say("planned", #"{"bytes":-1,"processors":'$i'}"#))
        case .notification(.log):
            return repeated(WorkerInbox.mostLines + 50, say("log", #"{"line":"'$i'"}"#))
        case .notification(.segments):
            let names = (0...SegmentRequest.most).map { "\"\($0).ts\"" }.joined(separator: ",")
            return say("segments", #"{"names":[\#(names)]}"#)
        case .result: return answer + "; " + answer.replacing("fine", with: "other")
        case .error: return error + "; " + answer
        case .request: return #"echo '{"jsonrpc":"2.0","id":7,"method":"server.drain","params":{}}' >&3"#
        case .unknown: return say("files", "{}")
        case .descriptor:
            return """
                /usr/bin/python3 -c 'import os, socket
                s = socket.socket(fileno=os.dup(3))
                line = b"{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"alive\\",\\"params\\":{}}\\n"
                for _ in range(50): socket.send_fds(s, [line], [0, 1, 2, 4])'
                """
        }
    }

    @Test(arguments: WorkerAccess.Kind.allCases)
    func whatAWorkerMaySendIsBounded(_ kind: WorkerAccess.Kind) throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let last = kind == .error ? "sleep 100" : "\(Self.answer); sleep 100"
        let worker = try worker("read request <&3; \(Self.tooMuch(of: kind)); \(last)")
        let (outcome, lines) = try serve(worker)
        switch WorkerAccess.of(kind).excess {
        case .ended: #expect([.workerCrashed, .sandboxViolation].contains(code(outcome)), "\(outcome)")
        case .ignored, .waits, .closed:
            if kind == .error {
                #expect(code(outcome) == .playlist)
            } else {
                #expect(try outcome.get() == ["fine": true], "\(kind.name)")
            }
        }
        #expect(lines.count <= WorkerInbox.mostLines + 1, "\(lines.count) lines")
        if kind == .notification(.sealed) { #expect(worker.state.withLock { $0.seal?.landlock } == 1) }
        if kind == .descriptor {
            let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            #expect(now < open + 50, "its descriptors are kept: \(open), then \(now)")
        }
        worker.kill()
    }

    /// A spare waits for its request, and has nothing else to say than that it is sealed.
    @Test(arguments: WorkerAccess.Kind.allCases)
    func nothingIsTakenBeforeTheRequest(_ kind: WorkerAccess.Kind) throws {
        let isAllowed = WorkerAccess.of(kind).time == .always
        let worker = try worker("\(Self.tooMuch(of: kind)); read request <&3; sleep 100")
        defer { worker.kill() }
        if isAllowed {
            #expect(eventually { worker.state.withLock { $0.seal != nil } } && worker.isReady)
        } else {
            #expect(eventually { !worker.isReady }, "\(kind.name)")
        }
    }

    @Test func theManualShowsWhatAWorkerMaySend() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appending(path: "Sources/trimd/trimd.docc/trimd.md"))
        let page = String(decoding: bytes, as: UTF8.self)
        for kind in WorkerAccess.Kind.allCases {
            let row = WorkerAccess.of(kind)
            let cells = [kind.name, row.effect, row.time.rawValue, row.bound, row.excess.rawValue]
            #expect(page.contains("| \(cells.joined(separator: " | ")) |\n"), "\(cells)")
        }
    }
}
