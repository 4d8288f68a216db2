"""Prints the events of the newest report in a folder, one a line, without what differs between runs. With DaCe at hand, its reader must
find the same.  usage: report.py FOLDER"""
import collections
import json
import pathlib
import sys

newest = max(pathlib.Path(sys.argv[1]).glob('report-*.json'))
report = json.loads(newest.read_text())
threads, lines = {}, collections.Counter()
for event in report['traceEvents']:
    args = dict(event['args'])
    place = '/'.join(str(args.pop(key, '-')) for key in ('cfg_id', 'state_id', 'id'))
    thread = threads.setdefault(event['tid'], len(threads))
    line = f'{event["ph"]} {event["cat"]}: {event["name"]} [{place}] thread {thread}'
    if event['ph'] == 'X' and event['cat'] in ('GPU', 'Marker'):
        line += f' {event["dur"]} us'
    assert event['ph'] == 'C' or event['dur'] >= 0
    lines[line + ''.join(f' {key}={value}' for key, value in sorted(args.items()))] += 1
for line, count in lines.items():
    print(line + (f' ({count} times)' if count > 1 else ''))
for note in report.get('notes', []):
    print('note:', note)

try:
    from dace.codegen.instrumentation.report import InstrumentationReport
except ImportError:
    sys.exit()
read = InstrumentationReport(str(newest))
assert len(read.events) == len(report['traceEvents'])
assert sum(len(v) for names in read.durations.values() for tids in names.values() for v in tids.values()) == \
    sum(e['ph'] == 'X' for e in report['traceEvents'])
assert str(read).startswith('Instrumentation report')
