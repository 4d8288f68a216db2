"""Calls the program `steps` with arrays, factors and sizes that change, and prints what its graph says."""
import ctypes
import os
import sys

import numpy as np
import steps

N = 300


def start():
    program = steps.Program()
    arrays = [(np.ones(N), program.to_device(np.ones(N))) for _ in range(2)]
    return program, arrays


def updates(program, calls):
    """Updates in each of the calls after the first one."""
    calls(0)
    before = program.gpu_graphs()[0]['updates']
    for i in range(1, 1000):
        calls(i)
    info = program.gpu_graphs()[0]
    return f"{info['builds']} builds, {(info['updates'] - before) // 999} updates in each of 999 calls"


program, ((a, d), (b, e)) = start()
if sys.argv[1:] == ['host']:
    for _ in range(3):
        program(A=a, D=d, N=N, f=2.0)
    info = program.gpu_graphs()[0]
    print(f"{info['host_path']} on the host path: {info['last_reason']}")
    sys.exit()
for _ in range(1000):
    program(A=a, D=d, N=N, f=2.0)
info = program.gpu_graphs()[0]
print(f"{info['name']}: {info['builds']} builds, {info['launches']} launches, {info['updates']} updates, {info['nodes_last']} nodes")
print('alternating arrays:', updates(program, lambda i: program(A=a, D=(d, e)[i % 2], N=N, f=2.0)))
print('alternating factors:', updates(program, lambda i: program(A=a, D=d, N=N, f=float(i % 2))))
short = np.ones(250), program.to_device(np.ones(250))
print('alternating sizes:', updates(program, lambda i: program(A=(a, short[0])[i % 2], D=(d, short[1])[i % 2], N=(N, 250)[i % 2], f=2.0)))
program(A=a[:0], D=program.to_device(a[:0]), N=0, f=2.0)
info = program.gpu_graphs()[0]
print(f"nothing to do: {info['nodes_last']} nodes, used {info['used_last']}")
other = start()[0]
other(A=a, D=d, N=N, f=2.0)
print('two handles:', program.gpu_graphs()[0]['builds'], other.gpu_graphs()[0]['builds'])

made = ctypes.CDLL(os.path.join(os.path.dirname(steps.__file__), '..', 'lib', 'libsteps.so')).sdfgc_emulation_resources


def mixed(i):
    """Arrays, factors and sizes change, each at its own pace."""
    host, device, n = ((a, d, N), (b, e, N), (*short, 250))[i % 3]
    program(A=host, D=device, N=n, f=float(i // 2 % 2))


for i in range(12):
    mixed(i)
before, resources = program.gpu_graphs()[0], made()
for i in range(1000):
    mixed(i)
info = program.gpu_graphs()[0]
print(f"all three in 1000 calls: {info['builds'] - before['builds']} builds, {info['updates'] - before['updates']} updates, "
      f"{made() - resources} resources made")
