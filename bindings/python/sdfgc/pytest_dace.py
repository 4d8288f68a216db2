"""pytest plugin: the tests of a project run with DaCe compiling by sdfgc.

    pytest -p sdfgc.pytest_dace [--sdfgc-target TARGET] [--sdfgc-options WORDS]
"""
import shlex

from . import dace


def pytest_addoption(parser):
    group = parser.getgroup('sdfgc', 'compiling with sdfgc')
    group.addoption('--sdfgc-target', help='cpu, cuda or hip; default: as the graphs need')
    group.addoption('--sdfgc-options', default='', metavar='WORDS', help="further options of `sdfgc build`, such as '-O 3 --emulate'")


def pytest_configure(config):
    dace.enable(config.getoption('sdfgc_target'), arguments=shlex.split(config.getoption('sdfgc_options')))


def pytest_report_header():
    from . import version
    return f'DaCe compiles with {version()}'


def pytest_unconfigure():
    dace.disable()
