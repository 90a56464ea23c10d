// Changes JSON at one position at a time, to check that a schema refuses it. Pure.
import Text

extension JSONValue {
    /// A changed value, and what was changed where.
    typealias Mutant = (change: String, json: JSONValue)

    /// This value with one part of it changed, for each part and each thing that `change` makes of it.
    func mutants(_ change: (JSONValue) -> [Mutant]) -> [Mutant] {
        var mutants = change(self)
        switch content {
        case .object(let object):
            let members = object.dictionary
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                for inner in member.mutants(change) {
                    var changed = members
                    changed[key] = inner.json
                    mutants.append((".\(key)\(inner.change)", .object(changed)))
                }
            }
        case .array(let items):
            for (index, item) in items.enumerated() {
                for inner in item.mutants(change) {
                    var changed = items
                    changed[index] = inner.json
                    mutants.append(("[\(index)]\(inner.change)", .array(changed)))
                }
            }
        default: break
        }
        return mutants
    }
}
