"""Values against a JSON schema (draft 2020-12), for the Swift tests: a program that answers a line of JSON with a line of JSON.

A line is {"schema": the document, "isClosed": whether objects have the described members only}, then {"value": …, "against": a schema,
or nothing for the whole document} any number of times. The answer to a value is {"faults": [what is wrong, with its place], "met":
[the members that it has, as DEFINITION/member]}; `met` is empty where the value does not fit.
"""
import itertools, json, os, sys

from jsonschema import Draft202012Validator

from .paths import ROOT

PRESETS = "preset.schema.json"


def bundled(schema):
    """The schema with what it refers to in the schema of presets among its own definitions."""
    if isinstance(schema, list):
        return [bundled(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: bundled(each) for name, each in schema.items()}
    reference = found.get("$ref", "")
    if isinstance(reference, str) and reference.startswith(PRESETS):
        found["$ref"] = reference.removeprefix(PRESETS) or "#/$defs/PresetFile"
    if PRESETS in json.dumps(schema.get("$defs", {})):
        with open(os.path.join(ROOT, "Presets", "schema", PRESETS), encoding="utf-8") as file:
            presets = json.load(file)
        definitions = presets.pop("$defs")
        found["$defs"] |= definitions | {"PresetFile": presets}
    return found


def closed(schema):
    """The schema with no other members than it describes, where it says nothing about them."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for key in ("properties", "$defs"):
        if key in found:
            found[key] = {name: closed(each) for name, each in found[key].items()}
    for key in ("oneOf", "anyOf"):
        if key in found:
            found[key] = [closed(each) for each in found[key]]
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = closed(found[key])
    if "properties" in found and "type" in found and "unevaluatedProperties" not in found:
        found.setdefault("additionalProperties", False)
    return found


class Checker:
    """Holds values against one document."""

    def __init__(self, document, is_closed):
        Draft202012Validator.check_schema(document)
        document = bundled(document)
        self.document = closed(document) if is_closed else document
        self.definitions = self.document.get("$defs", {})
        self.validators = {}

    def validator(self, schema):
        """References are into this document, whatever its $id."""
        key = None if schema is self.document else json.dumps(schema)
        if key not in self.validators:
            whole = {name: value for name, value in schema.items() if name != "$id"} | {"$defs": self.definitions}
            self.validators[key] = Draft202012Validator(whole)
        return self.validators[key]

    def check(self, value, schema):
        faults = [f"{error.json_path}: {error.message[:300]}" for error in itertools.islice(self.validator(schema).iter_errors(value), 5)]
        return {"faults": faults, "met": [] if faults else sorted(set(self.met(value, schema, "")))}

    def met(self, value, schema, name):
        """The described members that a fitting value has; of alternatives, those of each that fits."""
        if not isinstance(schema, dict):
            return
        if "$ref" in schema:
            other = schema["$ref"].removeprefix("#/$defs/")
            yield from self.met(value, self.definitions[other], other)
        for each in schema.get("oneOf", []) + schema.get("anyOf", []):
            if self.validator(each).is_valid(value):
                yield from self.met(value, each, name)
        if isinstance(value, list):
            for item in value:
                yield from self.met(item, schema.get("items"), name)
        if isinstance(value, dict):
            for key, member in value.items():
                if key in schema.get("properties", {}):
                    yield f"{name}/{key}"
                    yield from self.met(member, schema["properties"][key], name)
                else:
                    yield from self.met(member, schema.get("additionalProperties"), name)


def main():
    first = json.loads(sys.stdin.readline())
    checker = Checker(first["schema"], first["isClosed"])
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(checker.check(asked["value"], asked.get("against", checker.document))), flush=True)


if __name__ == "__main__":
    main()
