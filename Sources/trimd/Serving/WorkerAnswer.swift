// What a worker answers, held against the type that it should have: it has read a stranger's file. Pure.
internal import Media
internal import Text
internal import Wire

extension Result<JSONValue, MediaError> {
    /// A worker has read a stranger's file: its answer counts only where it is what it should be.
    func read<Value: Decodable>(as _: Value.Type) -> Result<Value, MediaError> {
        flatMap { value in
            do throws(WireError) { return .success(try value.decode(as: Value.self)) } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }

    /// A worker has read a stranger's file: its answer is passed on only where it is what it should be.
    func checked<Value: Codable>(as _: Value.Type) -> Self {
        flatMap { value in
            do throws(WireError) {
                return .success(try JSONValue(encoding: try value.decode(as: Value.self)))
            } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }
}
