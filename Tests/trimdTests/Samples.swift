// Shared by these tests: a folder that goes away, presets, requests and results that are plausible.
import Foundation
import Glibc
import JobQueue
import Media
import MediaTime
import Platform
import Wire

@testable import trimd

/// A folder of a test's own; it goes with the last reference to it. Suites hold it, so that it stays as long
/// as the test.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/trimd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Again where a file went meanwhile: SQLite deletes its own as the last connection closes.
        for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// A file with some bytes; its path.
    @discardableResult
    func file(_ name: String, _ text: String = "film", mode: Int = 0o644) throws -> String {
        let path = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// A program that a shell runs; its path. Another process writes it: a child that some other test starts at the same
    /// moment would hold our descriptor for a while, and a file that somebody may write cannot be run (ETXTBSY).
    func program(_ name: String, _ script: String) throws -> String {
        let text = try file(name + ".sh", "#!/bin/sh\n" + script)
        let program = path + "/" + name
        let install = try Process.run(
            URL(filePath: "/usr/bin/install"), arguments: ["-m", "755", text, program])
        install.waitUntilExit()
        return program
    }

    /// An empty folder; its path.
    func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        return path + "/" + name
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A second name for a file.
    func link(_ old: String, _ new: String) throws {
        try FileManager.default.linkItem(atPath: path + "/" + old, toPath: path + "/" + new)
    }

    /// A symbolic link to a file of this folder.
    func symlink(_ old: String, _ new: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path + "/" + new, withDestinationPath: path + "/" + old)
    }

    /// A named pipe; its path.
    func pipe(_ name: String) -> String {
        let path = path + "/" + name
        _ = unsafe mkfifo(path, 0o644)
        return path
    }

    func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: path + "/" + old, toPath: path + "/" + new)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }

    func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + "/" + name)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
}

func preset(_ id: String = "sound", types: String = #"["m4a"]"#) throws -> Preset {
    let json = """
        {"version": 1, "id": "\(id)", "name": "Sound", "fileTypes": \(types),
         "audio": {"codec": "aac", "encoder": "aac", "maxChannels": 2, "maxSampleRate": 48000}}
        """
    return try PresetCatalogue.preset(json: Data(json.utf8))
}

func validator() throws -> SubmissionValidator {
    SubmissionValidator(
        presets: PresetCatalogue([
            try preset("m4v720", types: #"["m4v"]"#), try preset("m4a"), try preset("highest"),
            try PresetCatalogue.preset(
                json: Data(
                    #"""
                    {"version": 1, "id": "passthrough", "name": "As it is", "fileTypes": ["mov", "mp4", "m4v"],
                     "passthrough": true}
                    """#.utf8)),
        ]))
}

/// The daemon's own user asks, and shows nothing.
let ownAccess = CallerAccess(
    peer: .own, own: PeerCredentials.own.uid, roots: Roots(), descriptors: Descriptors())

func result(_ fileType: String = "m4a") -> ExportResult {
    let span = TimeSpan(start: Time(10, 1), end: Time(70, 1))
    return ExportResult(
        render: .encode, fileType: fileType, requested: span, actual: span, tracks: [], bytes: 4,
        warnings: [],
        dropped: [])
}

let source = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
