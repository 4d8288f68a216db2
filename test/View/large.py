#!/usr/bin/python3
"""Prints a graph with one state of N access nodes, v0 -> v1, v1 -> v2, v1 -> v3, ..."""
import json
import sys

n = int(sys.argv[1])
one = {'type': 'Range', 'ranges': [{'start': '0', 'end': '0', 'step': '1', 'tile': '1'}]}
state = {
    'type': 'SDFGState', 'label': 'all', 'id': 0, 'collapsed': False, 'scope_dict': {}, 'attributes': {},
    'nodes': [{'type': 'AccessNode', 'label': f'v{i}', 'id': i, 'scope_entry': None, 'scope_exit': None, 'attributes': {'data': f'v{i}'}}
              for i in range(n)],
    'edges': [{'type': 'MultiConnectorEdge', 'src': str(i // 2), 'dst': str(i), 'src_connector': None, 'dst_connector': None, 'attributes': {
        'data': {'type': 'Memlet', 'attributes': {'data': f'v{i // 2}', 'volume': '1', 'subset': one}}}} for i in range(1, n)],
}
arrays = {f'v{i}': {'type': 'Array', 'attributes': {'dtype': 'float64', 'shape': ['1']}} for i in range(n)}
print(json.dumps({'type': 'SDFG', 'dace_version': '2.0.0a6', 'label': 'large', 'id': None, 'collapsed': False, 'cfg_list_id': 0, 'start_block': 0,
                  'source_files': [], 'attributes': {'name': 'large', 'symbols': {}, '_arrays': arrays}, 'nodes': [state], 'edges': []}))
