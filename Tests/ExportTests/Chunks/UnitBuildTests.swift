// The builds that the bytes of units depend on: units of others are never joined with them.
import Export
import Foundation
import Libav
import Media
import MediaTime
import Testing
import Text

@testable import Export
@testable import Render

struct UnitBuildTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let libraries = [
        LoadedLibrary(name: "libavcodec.so.59", build: "aa"),
        LoadedLibrary(name: "libx264.so.164", build: "bb"),
        LoadedLibrary(name: "libx265.so.199", build: "cc"), LoadedLibrary(name: "libpulse.so.0", build: "dd"),
    ]

    @Test func anotherBuildOfACodecIsAnotherText() {
        let text = LoadedLibrary.builds(Self.libraries)
        #expect(LoadedLibrary.builds(Self.libraries.reversed()) == text)
        for index in Self.libraries.indices {
            var others = Self.libraries
            others[index].build = "ee"
            #expect((LoadedLibrary.builds(others) != text) == (index < 3), "\(others[index].name)")
        }
    }

    /// Each build ID is the one in the library's file.
    @Test(arguments: [
        "libavcodec", "libavfilter", "libswscale", "libx264", "libx265", "libSvtAv1Enc", "libaom", "libvpx",
    ])
    func theMappedLibrariesAreNamed(_ name: String) throws {
        let library = try #require(LoadedLibrary.mapped.first { $0.name.hasPrefix(name + ".so") })
        // Where distributions keep libraries; the kernel's table of mappings has no size to read it by.
        let folders = ["/lib", "/usr/lib", "/usr/local/lib", "/usr/lib64"].flatMap { folder in
            [folder, folder + "/x86_64-linux-gnu", folder + "/aarch64-linux-gnu"]
        }
        let path = try #require(
            folders.map { $0 + "/" + library.name }.first(where: FileManager.default.fileExists))
        let id = stride(from: 0, to: library.build.count, by: 2).compactMap { at -> UInt8? in
            let from = library.build.index(library.build.startIndex, offsetBy: at)
            return UInt8(library.build[from..<library.build.index(from, offsetBy: 2)], radix: 16)
        }
        #expect(id.count == 20)
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data(id)) != nil)
        #expect(LibavBuild.identity.contains("\(library.name) \(library.build)"))
    }

    @Test func aUnitIsMadeByTheBuildThatPlannedItOnly() throws {
        let film = try Film(name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()).make(
            in: scratch)
        let request = ExportRequest(
            input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            preset: try preset("m4v480"), render: .encode)
        let division = UnitDivision(seconds: 1)
        let exporter = Exporter(try scratch.source(film), request)
        let outcome = try exporter.export(
            division: division, output: try scratch.output(scratch.name("m4v")), progress: { _ in },
            log: { _ in })
        guard case .units(let plan) = outcome, let unit = plan.units.first else {
            Issue.record("not divided")
            return
        }
        var divided = try UnitCoding.read(plan.plan, DividedExport.self)
        let divider = ExportDivision(source: exporter.source, request: request, division: division)
        #expect(try divider.fingerprint(divided, plan.units) == plan.fingerprint)
        // Another machine may have the files elsewhere.
        var elsewhere = request
        (elsewhere.input, elsewhere.output.folder, elsewhere.output.place) = ("/m/f.mp4", "/m", "1:2")
        #expect(
            try ExportDivision(source: exporter.source, request: elsewhere, division: division).fingerprint(
                divided, plan.units) == plan.fingerprint)
        elsewhere.strict = true
        #expect(
            try ExportDivision(source: exporter.source, request: elsewhere, division: division).fingerprint(
                divided, plan.units) != plan.fingerprint)
        divided.build += "x"
        let other = try UnitCoding.value(divided)
        #expect(try divider.fingerprint(divided, plan.units) != plan.fingerprint)
        let error = #expect(throws: MediaError.self) {
            _ = try exporter.make(unit, plan: other, output: try scratch.output(scratch.name("unit"))) { _ in
            }
        }
        #expect(error?.code == .operationInterrupted)
    }
}
