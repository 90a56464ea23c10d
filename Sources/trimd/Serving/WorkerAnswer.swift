// Checks a worker's answer against its expected type: worker output is untrusted. Pure.
internal import Media
internal import Text
internal import Wire

extension Result<JSONValue, MediaError> {
    /// Worker output is untrusted: decodes the answer only if it has the expected form.
    func read<Value: Decodable>(as _: Value.Type) -> Result<Value, MediaError> {
        flatMap { value in
            do throws(WireError) { return .success(try value.decode(as: Value.self)) } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }

    /// Worker output is untrusted: passes the answer on only if it has the expected form.
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
