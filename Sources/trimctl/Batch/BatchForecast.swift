// Gets the plan of each export of a batch from the daemon, one by one: `trimctl batch LIST --dry-run`. A fault found only here is
// reported for its line, as a failure would be later.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// Requests plans.
enum BatchForecast {
    /// Fills in the plans; returns the faults found.
    static func fill(_ items: inout [BatchItem], _ daemon: DaemonConnection) throws(MediaError)
        -> [BatchFault]
    {
        var faults: [BatchFault] = []
        for index in items.indices where items[index].outcome == .waiting && items[index].job == nil {
            var request = items[index].request
            // A folder that does not exist yet cannot be checked.
            if let output = request.output, !BatchNames.isFolder(BatchNames.folder(of: output)) {
                request.output = nil
            }
            do throws(MediaError) {
                let plan = try daemon.plan(request)
                items[index].way = plan.render
                items[index].estimatedBytes = plan.estimatedBytes
                items[index].length = plan.length.isNumeric ? plan.length.seconds : items[index].length
                items[index].warnings = plan.warnings.map(\.message)
            } catch {
                if error.code == .noDaemon || error.code == .operationCancelled { throw error }
                (items[index].outcome, items[index].error) = (.refused, error)
                faults.append(BatchFault(line: items[index].line, error: error))
            }
        }
        return faults
    }
}
