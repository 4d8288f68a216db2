"""Calls the programs of graph-loop-forms.test on emulated devices with and without loops in graphs, in every order, and compares with what the
loops compute."""
import os
import subprocess
import sys

import numpy as np


def counters(program):
    infos = program.gpu_graphs()
    return sum(i["launches"] for i in infos), sum(i["host_path"] for i in infos)


def forms(n):
    """Five loops one after the other: n, 3, 4, 7 (20, 17, ..., 2) and 5 (9, 4.5, ..., 0.5625) iterations."""
    import forms
    program = forms.Program()
    a, left, more = np.arange(5.0), np.array([n, 20]), np.array([n > 0])
    few, items, size = np.array([3], np.int8), np.array([0, 0, 0, -4], np.int32), np.array([9.0])
    program(A=a, left=left, more=more, few=few, list=items, size=size, N=5)
    assert np.array_equal(a, np.arange(5.0) + n + 30 + 400 + 7000 + 50000), a
    assert left.tolist() == [0, -1] and few[0] == 0 and items[3] == 0 and not more[0]
    return counters(program)


def nest(n, k):
    """Three loops in each other, where n is above 1; and one that counts up while its end comes down."""
    import nest
    program = nest.Program()
    a, bounds, end = np.zeros(3), np.array([n, 0, 0]), np.array([k])
    program(A=a, n=bounds, K=end, N=3)
    inner = sum(b for i in range(1, n + 1) for b in range(1, i + 1)) if n > 1 else 0
    i = total = 0
    while i < k:
        total, k, i = total + i, k - 1, i + 2
    assert a.tolist() == [inner + 1000 * total] * 3, (a, inner, total)
    assert end[0] == k
    return counters(program)


def parts(n, rows):
    """A flag in a view; a copy of row k from and to; a check; a body without kernels of its own but the counter's."""
    import parts
    program = parts.Program()
    memory = np.arange(48.0).reshape(8, 6)
    a, flags, end = np.zeros(6), np.array([5, 6, n, 8]), np.array([rows])
    only, checked = np.array([n]), np.array([9.0])
    expected, k = memory.copy(), 0
    while k < rows:
        expected[k + 1] = expected[k] + 10
        rows, k = rows - 1, k + 1
    program(A=a, rows=memory, flags=flags, K=end, only=only, checked=checked, N=6)
    assert np.array_equal(memory, expected), memory
    assert np.array_equal(a, (expected[k] if k else n) / np.full(6, 16)), a
    assert flags.tolist() == [5, 6, 0, 8] and only[0] == 0 and end[0] == rows and checked[0] == 9 / 16
    return counters(program)


def parent():
    for devices in ("full", "flat"):
        for seed in range(4):
            settings = {"SDFGC_EMULATE_GRAPHS": devices, "SDFGC_EMULATE_SEED": str(seed)}
            done = subprocess.run([sys.executable, __file__, devices], env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, check=True)
            print(done.stdout, end="")


def child(devices):
    calls = [forms(0), forms(1), forms(10000 if devices == "full" else 50), nest(1, 9), nest(4, 9), nest(3, 0), parts(3, 7), parts(0, 0)]
    words = [" ".join(map(str, numbers)) for numbers in zip(*calls)]
    print(f"{devices}: graphs {words[0]}, host path {words[1]}")


child(sys.argv[1]) if len(sys.argv) > 1 else parent()
