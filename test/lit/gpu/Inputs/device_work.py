"""device_work.py SDFGC GRAPH FOLDER [UNKNOWN=VALUE...] -- OPTION...: runs a program on the emulated device, and compares what the device did
with the formulas of its manifest. Prints each count that is not zero as `kernels: 2*T = 6`; fails if one differs.

UNKNOWN=VALUE: for symbols of formulas that no argument determines.
"""
import json
import subprocess
import sys

split = sys.argv.index('--')
sdfgc, graph, folder, *unknown = sys.argv[1:split]
run = subprocess.run([sdfgc, 'run', graph, '--target', 'cuda', '--emulate', '--stats', '--json', '-o', folder, *sys.argv[split + 1:]],
                     stdout=subprocess.PIPE, text=True, check=True)
report = json.loads(run.stdout)
with open(f'{folder}/manifest.json') as file:
    work = json.load(file)['device_work']
names = {**report['symbols'], **{name: int(value) for name, value in (text.split('=') for text in unknown)}, 'min': min, 'max': max}
missing = {u['symbol'] for u in work['unknown']} ^ {text.split('=')[0] for text in unknown}
wrong = bool(missing)
for count, formula in work.items():
    if count == 'unknown':
        continue
    value = None if formula is None or missing else eval(formula, {}, names)
    counted = report['device'][count]
    if formula is None or value != counted:
        wrong = wrong or formula is not None
        print(f'{count}: {formula} = {value}, counted {counted}')
    elif value != 0:
        print(f'{count}: {formula} = {value}')
for u in work['unknown']:
    print(f"{u['symbol']}: {u['of']} {u['condition']}")
sys.exit(wrong)
