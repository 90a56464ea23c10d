// Paths: absolute ones, the socket's, the daemon's program.
import Media
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite struct SurroundingsTests {
    @Test(arguments: [
        ("in.mov", "/in.mov"), ("./in.mov", "/in.mov"), ("a//b/./c", "/a/b/c"), ("../x", "/../x"),
        ("dir/", "/dir/"),
        (".", ""), ("-", "/-"), ("ü ñ/\u{1F3AC}.mov", "/ü ñ/\u{1F3AC}.mov"),
    ]) func relativePathsBecomeAbsolute(path: String, below: String) throws {
        let rig = try Rig()
        #expect(rig.surroundings.absolute(path) == rig.folder + below)
    }

    @Test(arguments: [("/a/b", "/a/b"), ("/a//b/.", "/a/b"), ("/", "/"), ("/a/../b", "/a/../b")])
    func absolutePathsStay(path: String, expected: String) throws {
        #expect(try Rig().surroundings.absolute(path) == expected)
    }

    @Test func theSocketIsTheFirstThatIsNamed() throws {
        let rig = try Rig()
        func find(_ option: String? = nil, systemExists: Bool = false) -> String {
            SocketPath.find(option: option, in: rig.environment, folder: rig.folder) { _ in systemExists }
        }
        #expect(find() == SocketPath.system)
        rig.environment["XDG_RUNTIME_DIR"] = "/run/user/1"
        #expect(find() == "/run/user/1/trimd/trimd.sock")
        #expect(find(systemExists: true) == SocketPath.system)
        rig.environment["TRIMD_SOCKET"] = "/x.sock"
        #expect(find(systemExists: true) == "/x.sock")
        #expect(find("y.sock", systemExists: true) == rig.folder + "/y.sock")
    }

    @Test func presetsOfOnesOwn() throws {
        let rig = try Rig()
        #expect(rig.surroundings.presetFolder == rig.folder + "/.config/trimd/presets")
        rig.environment["XDG_CONFIG_HOME"] = "/conf"
        #expect(rig.surroundings.presetFolder == "/conf/trimd/presets")
    }

    @Test func withoutAProgramThereIsNoPrivateDaemon() throws {
        let rig = try Rig()
        #expect(rig.run(["export", "in.mov", "--standalone", "--json"]) == 5)
        #expect(try rig.lastJSON()["error"]?["code"] == "noDaemon")
        #expect(rig.err.hasPrefix("trimctl: there is no trimd"))
    }
}
