"""Calls six programs whose loops the device ends, in all orders of operations and on devices that can do less, and compares results and
counters. Without arguments: starts itself once for each device and order."""
import hashlib
import json
import os
import subprocess
import sys

import numpy as np

CALLS = 3


def converge():
    import converge
    a, b, err = np.linspace(0, 1, 40) ** 2, np.zeros(40), np.zeros(1)
    program = converge.Program()
    for _ in range(CALLS):
        a[:] = np.linspace(0, 1, 40) ** 2
        program(A=a, B=b, err=err, tol=1e-3, most=200, N=40)
    assert 0 < err[0] <= 1e-3
    return program, [a, b, err]


def conjugate_gradient():
    import conjugate_gradient
    n = 12
    m = np.random.default_rng(1).integers(0, 3, (n, n)).astype(float)
    a, b, x, rs = m @ m.T + n * np.eye(n), np.arange(n, dtype=float), np.zeros(n), np.zeros(1)
    program = conjugate_gradient.Program()
    for _ in range(CALLS):
        program(A=a, b=b, x=x, rs=rs, tol=1e-18, most=50, N=n)
    assert np.allclose(a @ x, b)
    return program, [x, rs]


def kmeans():
    import kmeans
    points = np.array([i % 5 + 100.0 * (i % 3) for i in range(60)])
    labels, iterations = np.zeros(60, dtype=np.int64), np.zeros(1, dtype=np.int64)
    program = kmeans.Program()
    for _ in range(CALLS):
        centres = np.array([0.0, 60.0, 140.0])
        program(X=points, C=centres, L=labels, iterations=iterations, most=50, N=60)
    assert sorted(centres) == [2.0, 102.0, 202.0] and 1 < iterations[0] < 50
    return program, [centres, labels, iterations]


def adapt():
    import adapt
    target, err, rejected = np.arange(40.0), np.zeros(1), np.zeros(1, dtype=np.int64)
    program = adapt.Program()
    for _ in range(CALLS):
        x = np.zeros(40)
        program(x=x, target=target, err=err, rejected=rejected, tol=1e-6, most=200, N=40)
    assert err[0] <= 1e-6 and rejected[0] > 0 and np.allclose(x, target)
    return program, [x, err, rejected]


def until():
    import until
    a, r, last = np.zeros(16), np.zeros(1), np.zeros(1, dtype=np.int64)
    program = until.Program()
    for _ in range(CALLS):
        a[:] = np.arange(16) + 5.0
        program(A=a, r=r, last=last, tol=0.2, N=16)
    assert r[0] <= 0.2 and last[0] > 2
    return program, [a, r, last]


def left_by_hand(a, tol, far, most):
    """What leave.sdfgt does, and how often it comes to which place."""
    counts = [0, 0, 0]
    for it in range(most + 1):
        if it == most:
            break
        a *= 0.75
        err = abs(a).max()
        if err < tol:
            break
        if err > far:
            counts[0] += 1
            continue
        counts[1] += it
        for j in range(5):
            a -= 0.001 * j
            if a[1] < 0.5:
                break
            counts[2] += 1
    counts[1] += 100 * it
    return err, counts


def leave():
    import leave
    start = np.linspace(1, 60, 40)
    a, err, counts = start.copy(), np.zeros(1), np.zeros(3, dtype=np.int64)
    program = leave.Program()
    for most in (3, 50, 50):
        a[:] = start
        program(A=a, err=err, counts=counts, tol=0.2, far=20.0, most=most, N=40)
        expected = start.copy()
        last, passed = left_by_hand(expected, 0.2, 20.0, most)
        assert np.allclose(a, expected) and np.isclose(err[0], last) and list(counts) == passed, (counts, passed)
    assert 0 < counts[0] and 0 < counts[2] and err[0] < 0.2
    return program, [a, err, counts]


def digest(results):
    return hashlib.sha256(b"".join(r.tobytes() for r in results)).hexdigest()


def child():
    for run in (converge, conjugate_gradient, kmeans, adapt, until, leave):
        program, results = run()
        print(json.dumps([run.__name__, digest(results), program.gpu_graphs()]))


def bits():
    """The results of some programs, in whatever way they run, and how many of their graphs were used."""
    for run in (kmeans, leave):
        program, results = run()
        print(run.__name__, digest(results))
        print(run.__name__, "graphs that ran:", sum(info["used_last"] for info in program.gpu_graphs()), file=sys.stderr)


def parent():
    seen = {}
    for device in ("full", "flat", "none", "fail-instantiate"):
        for seed in range(4):
            env = dict(os.environ, SDFGC_EMULATE_GRAPHS=device, SDFGC_EMULATE_SEED=str(seed))
            out = subprocess.run([sys.executable, __file__, "child"], env=env, capture_output=True, text=True)
            assert out.returncode == 0 and not out.stderr, out.stderr
            for line in out.stdout.splitlines():
                name, bits, counters = json.loads(line)
                assert seen.setdefault(name, bits) == bits, f"{name} has other results on {device}, seed {seed}"
                with_loop = counters[-1]
                if device == "full":
                    assert (with_loop["launches"], with_loop["builds"], with_loop["host_path"]) == (CALLS, 1, 0), counters
                else:
                    assert (with_loop["launches"], with_loop["builds"], with_loop["host_path"]) == (0, 0, CALLS), counters
                if seed == 0:
                    print(f"{name}, {device}: {with_loop['last_reason'] or 'one launch per call'}")


def many():
    """A thousand calls that alternate arrays, scalars and two sizes: a graph for each size, changed where something is new."""
    import converge
    program = converge.Program()
    pairs = [[np.ones(n) for _ in range(2)] for n in (400, 400, 33)]  # kernels of two blocks, and of one
    err = np.zeros(1)
    for i in range(1000):
        a, b = pairs[i % 3]
        program(A=a, B=b, err=err, tol=0.5 + i % 2, most=2, N=len(a))
    info = program.gpu_graphs()[-1]
    print(f"{info['launches']} launches, {info['builds']} builds, {info['evictions']} evictions, {info['host_path']} on the host path")


{"child": child, "bits": bits, "many": many}.get(sys.argv[1] if len(sys.argv) > 1 else "", parent)()
