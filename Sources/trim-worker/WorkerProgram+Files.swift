// The files of a worker's request, as descriptors, its parameters, and the memory that its encoders may use.
internal import Export
internal import Glibc
internal import Libav
internal import Media
internal import Platform
internal import Render
internal import Source
internal import Text
internal import Wire

extension WorkerProgram {
    /// Takes the descriptor of the output or of the second file.
    func take(_ descriptors: Descriptors, _ index: Int, _ what: String) throws(MediaError) -> Int32 {
        guard let found = descriptors.take(index)?.release() else {
            throw MediaError(.invalidRequest, "no descriptor of \(what) came")
        }
        return found
    }

    func file(_ descriptor: Int32, _ name: String) -> SourceFile {
        SourceFile(descriptor: descriptor, size: size(of: descriptor), name: name)
    }

    func size(of descriptor: Int32) -> Int64 {
        let here = lseek(descriptor, 0, SEEK_END)
        return max(0, Int64(here))
    }

    /// Bytes an encoder may use: three quarters of the address space; the rest is libraries, stacks and decoded frames.
    var encoderMemory: Int64 {
        let space = SandboxLimits(.transcode, sandbox, processors: LibavThreads.available).memory
        return Int64(clamping: min(space, SandboxSeal.physicalMemory) / 4 * 3)
    }

    func name(of path: String) -> String { path.pathNames.last ?? path }

    /// The export that was requested, with the files that it names beside its source: their descriptors come in this order, those of
    /// them that there are.
    /// - Parameters:
    ///   - first: the index of the first of them.
    ///   - hasArtwork: the image is among them; a unit needs none.
    func exporter(
        _ wanted: WorkerExport, _ source: WorkerSource, _ descriptors: Descriptors, from first: Int,
        hasArtwork: Bool = true
    ) throws(MediaError) -> Exporter {
        var request = wanted.request
        var next = first
        func further(_ path: String?) -> SourceFile? {
            guard let path, let found = descriptors.take(next)?.release() else { return nil }
            next += 1
            return file(found, name(of: path))
        }
        let picture = hasArtwork ? further(request.metadata?.artwork) : nil
        let subtitles = further(request.options?.burnedFile)
        let input = name(of: request.input)
        let opened = try source.file(
            input, variant: request.options?.variant,
            subtitles: request.options?.subtitles == "none" ? .none : .needed)
        request.range = try source.resolved(request.range, of: input)
        var exporter = Exporter(
            opened, request, alternatives: wanted.alternatives, memory: encoderMemory, artwork: picture,
            subtitles: subtitles, clones: wanted.cloneBlock.map(CloneRequest.init))
        exporter.crashes = wanted.crashes ?? 0
        return exporter
    }

    func decode<T: Decodable>(_ params: JSONValue, _ type: T.Type) throws(MediaError) -> T {
        do { return try params.decode(as: type) } catch { throw MediaError(.invalidRequest, "\(error)") }
    }

    func encode(_ value: some Encodable) throws(MediaError) -> JSONValue {
        do throws(WireError) { return try JSONValue(encoding: value) } catch {
            throw MediaError(.unknown, "\(error)")
        }
    }
}
