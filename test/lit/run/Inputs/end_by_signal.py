"""Ends a command by a signal to its process alone, and checks that nothing that it has started lives on.

    end_by_signal.py SIGNAL MARK COMMAND...     MARK: what the command line or the mapped files of a descendant mention before the signal comes
"""
import os
import signal
import subprocess
import sys
import time

number, mark, command = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3:]


def children():
    """Processes by their parents."""
    out = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/stat') as file:
                fields = file.read().rpartition(')')[2].split()
        except OSError:
            continue
        if fields[0] != 'Z':
            out.setdefault(int(fields[1]), []).append(int(pid))
    return out


def descendants(pid):
    of, out, open_ = children(), [], [pid]
    while open_:
        found = of.get(open_.pop(), [])
        out += found
        open_ += found
    return out


def mentions(pid):
    for name in ('cmdline', 'maps'):
        try:
            with open(f'/proc/{pid}/{name}') as file:
                if mark in file.read():
                    return True
        except OSError:
            pass
    return False


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            run.kill()
            sys.exit(f'FAILED: {what} after {seconds} s')
        time.sleep(0.02)


def is_running(pid):
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


if number != signal.SIGKILL:
    signal.signal(number, signal.SIG_DFL)  # shells let what runs in the background ignore an interrupt
run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
wait_for(lambda: run.poll() is not None or any(map(mentions, descendants(run.pid))), 300, f'nothing that mentions {mark} runs')
if run.poll() is not None:
    sys.exit(f'FAILED: it ended with {run.returncode} before the signal')
started = descendants(run.pid)
run.send_signal(number)
wait_for(lambda: run.poll() is not None, 60, 'it still runs')
if run.returncode not in (-number, 128 + number):
    sys.exit(f'FAILED: it ended with {run.returncode}')
wait_for(lambda: not any(map(is_running, started)), 60, 'what it started still runs')
print('all have ended')
