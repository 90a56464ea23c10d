// Opens the page in the desktop's browser, where there is one. Everybody on the machine sees the command lines of all processes, so the
// address with its token is in none: the browser is given a file that leads to it, which only the user can read. Owns that file, up to
// `forget`. Lives on the main thread; the browser's end is awaited on a queue of its own. Parses nothing.
internal import Dispatch
internal import Glibc
internal import Platform
internal import Text

/// A page that was opened in the desktop's browser.
struct DesktopBrowser {
    /// The file that leads to the page.
    let path: String

    private static let names = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME",
        "PATH", "XDG_CURRENT_DESKTOP", "LANG", "BROWSER",
    ]

    /// Opens an address by a file in a folder, which is there; nil: there is no desktop, or the file cannot be written.
    init?(opening address: String, by folder: String?) {
        guard Kernel.variable("DISPLAY") != nil || Kernel.variable("WAYLAND_DISPLAY") != nil, let folder,
            let program = DesktopBrowser.program
        else { return nil }
        path = "\(folder)/.open-\(getpid()).html"
        let leap =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(address)\"><title>trimd</title>\n"
        do throws(SystemError) {
            let file = try Descriptor(
                opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
            try Kernel.write(Array(leap.utf8), to: file, path)
        } catch {
            // Half an address is of no use.
            forget()
            return nil
        }
        var spawn = Spawn(program, [path], log: .appending("/dev/null"))
        for name in DesktopBrowser.names { spawn.environment[name] = Kernel.variable(name) }
        guard let pid = try? spawn.start() else {
            forget()
            return nil
        }
        DispatchQueue.global().async { Kernel.await(pid) }
    }

    /// Removes the file: its address leads nowhere any more.
    func forget() { try? Kernel.remove(path) }

    private static var program: String? {
        (Kernel.variable("PATH") ?? "/usr/bin").split(separator: ":").map { "\($0)/xdg-open" }
            .first { Kernel.mayAccess($0, X_OK) }
    }
}
