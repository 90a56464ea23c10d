// The shard that an engine gives its job in environment variables. It reads nothing but the variables that it is given. Where engines
// disagree (a CI runner inside a Slurm job) it names them instead of choosing.
internal import Media

/// Finds the shard in environment variables.
struct ShardEnvironment {
    let variables: [String: String]

    /// An engine whose jobs know their index and their number.
    private struct Engine {
        let name: String
        let index: String, count: String?
        /// The first index.
        let first: Int
    }

    private static let engines = [
        Engine(name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: nil, first: 0),
        Engine(name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1),
        Engine(
            name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT",
            first: 0),
        Engine(name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL", first: 0),
    ]

    private static let task = "SLURM_ARRAY_TASK_ID", tasks = "SLURM_ARRAY_TASK_COUNT"

    /// The shard of this job.
    /// - Parameter given: the number of shards, if the user gave it.
    func shard(count given: Int?) throws(MediaError) -> Shard {
        var found: [(source: String, shard: Shard)] = []
        if let shard = try slurm(given) { found.append((Self.task, shard)) }
        for engine in Self.engines {
            if let shard = try shard(of: engine, given) { found.append((engine.index, shard)) }
        }
        guard let first = found.first else {
            let names = [Self.task] + Self.engines.map(\.index)
            throw UsageError.of(
                "--shard auto: the environment has none of \(names.joined(separator: ", "))",
                remedy: "write --shard 1/8, with the number of this shard and of all")
        }
        guard found.allSatisfy({ $0.shard == first.shard }) else {
            let all = found.map { "\($0.source) \($0.shard)" }.joined(separator: ", ")
            throw UsageError.of(
                "--shard auto: the environment says several: \(all)", remedy: "write --shard \(first.shard)")
        }
        return first.shard
    }

    private func shard(of engine: Engine, _ given: Int?) throws(MediaError) -> Shard? {
        let told = try engine.count.map { name throws(MediaError) in try number(name) } ?? nil
        guard let index = try number(engine.index) else {
            // GitLab says a total of 1 and no index for a job that is not parallel.
            return told == 1 && engine.name == "GitLab" ? try shard(1, told, given, engine.index) : nil
        }
        if engine.count == nil, given == nil {
            throw UsageError.of(
                "--shard auto: \(engine.name) says which shard (\(engine.index)=\(index)), but not of how many",
                remedy: "write --shard auto/8, with the completions of the job")
        }
        return try shard(index - engine.first + 1, told, given, engine.index)
    }

    /// The position of a task in its array, which begins at any index and may have steps.
    private func slurm(_ given: Int?) throws(MediaError) -> Shard? {
        guard let id = try number(Self.task) else { return nil }
        guard let count = try number(Self.tasks), let first = try number("SLURM_ARRAY_TASK_MIN") else {
            throw UsageError.of(
                "--shard auto: \(Self.task) is set, but not \(Self.tasks) and SLURM_ARRAY_TASK_MIN",
                remedy: "write --shard I/N")
        }
        let last = try number("SLURM_ARRAY_TASK_MAX") ?? first + count - 1
        let step = count > 1 ? (last - first) / (count - 1) : 1
        guard step > 0, id >= first, id <= last, (last - first) == step * (count - 1),
            (id - first) % step == 0
        else {
            throw UsageError.of(
                "--shard auto: the indices of the array (\(count) from \(first) to \(last), this one \(id)) are not "
                    + "evenly spaced",
                remedy: "write --shard I/N with the number of this task")
        }
        return try shard((id - first) / step + 1, count, given, Self.task)
    }

    private func shard(_ index: Int, _ told: Int?, _ given: Int?, _ source: String) throws(MediaError)
        -> Shard
    {
        if let told, let given, told != given {
            throw UsageError.of(
                "--shard auto/\(given): the environment says \(told) (with \(source))",
                remedy: "write --shard auto, or --shard I/\(given) with the number of this shard")
        }
        guard let count = told ?? given, let shard = Shard(index, of: count) else {
            throw UsageError.of(
                "--shard auto: by \(source) this is shard \(index) of \(told ?? given ?? 0)",
                remedy: "there must be as many jobs as shards")
        }
        return shard
    }

    private func number(_ name: String) throws(MediaError) -> Int? {
        guard let text = variables[name], !text.isEmpty else { return nil }
        guard let number = Int(text), 0...1_000_000_000 ~= number else {
            throw UsageError.of(
                "--shard auto: \(name) is '\(text)', not a number", remedy: "write --shard I/N")
        }
        return number
    }
}
