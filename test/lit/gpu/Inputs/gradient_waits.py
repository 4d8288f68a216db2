"""Leaves out each wait for an event of a program, one after the other, and sees that the emulation notices: a report, or a wrong result, in
some order of operations. Copies to the caller's arrays wait for their stream anyway: what is behind the first one does not count.

    gradient_waits.py edit FILE      the program's source: the environment variable LEAVE_OUT numbers the wait that it does without
    gradient_waits.py run FOLDER     the program `two` there, compiled again: the gradient of gradient_handles.py
"""
import os
import re
import sys
import tempfile

WAIT = '__state->gpu.wait('


def edit(file):
    with open(file) as f:
        text = f.read()
    counts, end = text.split('copyToHost', 1)
    text = f'{counts.replace(WAIT, f"if (waits(__COUNTER__)) {WAIT}")}copyToHost{end}'.replace('static void program(', '''#include <cstdlib>
static bool waits(int number) {
    static const char *const without = std::getenv("LEAVE_OUT");
    return !without || std::atoi(without) != number;
}

static void program(''', 1)
    with open(file, 'w') as f:
        f.write(text)


def is_right(handles, folder, seed, without):
    """No report, and the right results, in a process of its own."""
    with tempfile.NamedTemporaryFile() as report:
        child = os.fork()
        if child == 0:
            os.environ.update({'SDFGC_EMULATE_SEED': str(seed), 'SDFGC_EMULATE_REPORT': report.name}, **without)
            try:
                with handles.graph_matrix.load(folder, 'two').Program() as program:
                    for times in (3, 0, 1, 0, 4, 2):
                        handles.call(program, times)
                os._exit(0)
            except (AssertionError, RuntimeError):
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        return status == 0 and os.path.getsize(report.name) == 0


def run(folder):
    import gradient_handles

    def is_missed(without):
        return not all(is_right(gradient_handles, folder, seed, without) for seed in range(8))

    assert not is_missed({})
    with open(os.path.join(folder, 'two', 'src', 'cuda', 'two_grad.cu')) as f:
        count = len(re.findall(r'waits\(__COUNTER__\)', f.read()))
    for number in range(count):
        assert is_missed({'LEAVE_OUT': str(number)}), f'nobody has missed wait {number}'
    print(f'{count} waits, each of which is missed')


{'edit': edit, 'run': run}[sys.argv[1]](sys.argv[2])
