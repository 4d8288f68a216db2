#!/usr/bin/python3
"""Validates JSON files against a JSON schema, with the keywords that our schema uses; any other keyword is an error.

  validate.py SCHEMA FILE...

Then breaks each file in several ways and checks that the schema notices.
"""
import copy
import json
import sys

TYPES = {'object': dict, 'array': list, 'string': str, 'integer': int, 'boolean': bool, 'null': type(None)}
NOTES = {'$schema', '$defs', 'title', 'description'}


class Validator:
    def __init__(self, schema):
        self.root = schema

    def faults(self, value, schema=None, at='$'):
        schema = self.root if schema is None else schema
        out = []
        for key, rule in schema.items():
            if key not in NOTES and key not in ('properties', 'additionalProperties'):
                out += getattr(self, key.replace('$', '_') + '_')(value, rule, at)
        if isinstance(value, dict) and 'properties' in schema:
            for name, member in value.items():
                if name in schema['properties']:
                    out += self.faults(member, schema['properties'][name], f'{at}.{name}')
                elif schema.get('additionalProperties') is False:
                    out.append(f'{at}: unknown member {name}')
        return out

    def type_(self, value, rule, at):
        rules = rule if isinstance(rule, list) else [rule]
        ok = any(isinstance(value, TYPES[r]) and not (r == 'integer' and isinstance(value, bool)) for r in rules)
        return [] if ok else [f'{at}: {value!r} is no {rule}']

    def enum_(self, value, rule, at):
        return [] if value in rule else [f'{at}: {value!r} is not one of {rule}']

    def const_(self, value, rule, at):
        return self.enum_(value, [rule], at)

    def required_(self, value, rule, at):
        return [f'{at}: {name} is missing' for name in rule if isinstance(value, dict) and name not in value]

    def items_(self, value, rule, at):
        return sum((self.faults(v, rule, f'{at}[{i}]') for i, v in enumerate(value)), []) if isinstance(value, list) else []

    def oneOf_(self, value, rule, at):
        tried = [self.faults(value, r, at) for r in rule]
        good = sum(not t for t in tried)
        return [] if good == 1 else [f'{at}: fits {good} of {len(rule)} alternatives: {tried}']

    def _ref_(self, value, rule, at):
        target = self.root
        for name in rule.removeprefix('#/').split('/'):
            target = target[name]
        return self.faults(value, target, at)


def broken(manifest):
    """Manifests with one fault each."""
    def change(text, f):
        copied = copy.deepcopy(manifest)
        f(copied)
        return text, copied
    yield change('unknown member', lambda m: m.update(extra=1))
    yield change('missing member', lambda m: m.pop('arguments'))
    yield change('schema of the future', lambda m: m.update(schema=2))
    yield change('unknown type', lambda m: m['arguments'][0].update(type='float12'))
    yield change('unknown kind', lambda m: m['arguments'][0].update(kind='tensor'))
    yield change('shape of numbers', lambda m: m['arguments'][0].update(shape=[3]))
    yield change('array without strides', lambda m: m['arguments'][0].pop('strides'))
    for i, graph in enumerate(manifest.get('gpu_graphs', [])):
        yield change('graph that is a name', lambda m: m['gpu_graphs'].__setitem__(i, graph['name']))
        yield change('graph without a name', lambda m: m['gpu_graphs'][i].pop('name'))
        yield change('graph without conditions', lambda m: m['gpu_graphs'][i].pop('conditions'))
        yield change('unknown member of a graph', lambda m: m['gpu_graphs'][i].update(nodes=3))


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        validator = Validator(json.load(f))
    problems = []
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as f:
            manifest = json.load(f)
        problems += [f'{path}: {fault}' for fault in validator.faults(manifest)]
        problems += [f'{path}: not noticed: {text}' for text, m in broken(manifest) if not validator.faults(m)]
    print('\n'.join(problems) or f'{len(sys.argv) - 2} valid')
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())
