#!/usr/bin/env python3
"""Checks the examples for containers and CI and the recipes of package managers, as far as that is possible without a network: files
that they name exist, versions and dependencies are those of the project, and their commands for graphs run.

    shipping.py ROOT SDFGC OUT      77: skipped, what it needs is not installed
"""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    print('skipped: python3-yaml is not installed')
    sys.exit(77)

ROOT, SDFGC, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
EXPECTED = 'vadd: 0 11 22 33 44\n'
faults = []


def read(path):
    return (ROOT / path).read_text()


def run(script, folder, **variables):
    """Runs a script like the examples do, with this sdfgc first on PATH; returns what it prints."""
    tools = OUT / 'tools'
    tools.mkdir(exist_ok=True)
    if not (tools / 'sdfgc').exists():
        (tools / 'sdfgc').symlink_to(SDFGC)
    environment = {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}', 'SDFGC_HOME': str(ROOT), **variables}
    done = subprocess.run(['bash', '-euo', 'pipefail', '-c', script], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        faults.append(f'{script.strip()}: status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def stages(text):
    """The instructions of each stage of a Dockerfile, as (word, rest)."""
    out = []
    for line in re.sub(r'\\\n', ' ', text).split('\n'):
        word, _, rest = line.strip().partition(' ')
        if word == 'FROM':
            out.append([])
        if word and not word.startswith('#'):
            out[-1].append((word, rest))
    return out


def check_docker():
    """The stage that compiles the graph is executed, and gives what the last stage copies."""
    build, program, final = stages(read('examples/docker/Dockerfile'))
    for word, rest in build:
        for path in re.findall(r'\b(tools/[\w./-]+)', rest) if word == 'RUN' else []:
            if not os.access(ROOT / path, os.X_OK):
                faults.append(f'Dockerfile: {path} cannot be executed')
    folder = OUT / 'docker'
    folder.mkdir()
    for word, rest in program:
        if word == 'COPY':
            *sources, _ = rest.split()
            for source in sources:
                shutil.copy(ROOT / source, folder)
        elif word == 'RUN':
            run(rest, folder)
    for word, rest in final:
        if word == 'COPY':
            source = rest.split()[1].removeprefix('/program/')
            if not (folder / source).is_file():
                faults.append(f'Dockerfile: the stage `program` makes no {source}')
    if (printed := run('LD_LIBRARY_PATH=vadd.build/lib ./vadd', folder)) != EXPECTED:
        faults.append(f'Dockerfile: the program prints {printed}')
    needed = run("ldd vadd.build/lib/libvadd.so vadd | sed -n 's/ =>.*//p' | sort -u", folder).split()
    packages = {'libgomp.so.1': 'libgomp1', 'libstdc++.so.6': 'libstdc++6'}
    installed = ' '.join(rest for word, rest in final if word == 'RUN')
    for library, package in packages.items():
        if library in needed and package not in installed:
            faults.append(f'Dockerfile: the last image lacks {package}')


def check_action():
    """Scripts are valid, inputs that are used exist, and the one that compiles works."""
    action, workflow = yaml.safe_load(read('examples/ci/action.yml')), yaml.safe_load(read('examples/ci/workflow.yml'))
    text = read('examples/ci/action.yml')
    for name in set(re.findall(r'inputs\.(\w+)', text)) ^ set(action['inputs']):
        faults.append(f'action.yml: the input {name} is not declared, or not used')
    steps = action['runs']['steps']
    ids = {step['id'] for step in steps if 'id' in step}
    for name in set(re.findall(r'steps\.(\w+)\.', text)) - ids:
        faults.append(f'action.yml: there is no step {name}')
    for step in steps:
        if 'run' in step:
            if 'shell' not in step:
                faults.append(f'action.yml: the step {step["name"]} has no shell')
            subprocess.run(['bash', '-n', '-c', step['run']], check=True)
            for path in re.findall(r'\b(tools/[\w./-]+)', step['run']):
                if not os.access(ROOT / path, os.X_OK):
                    faults.append(f'action.yml: {path} cannot be executed')
    uses = [step for job in workflow['jobs'].values() for step in job['steps'] if 'sdfgc' in step['uses']]
    for name in set(uses[0]['with']) - set(action['inputs']):
        faults.append(f'workflow.yml: the action has no input {name}')
    folder = OUT / 'ci'
    folder.mkdir()
    shutil.copy(ROOT / 'examples/vadd.sdfg', folder)
    compile_step = next(step for step in steps if step.get('id') == 'compile')
    values = {k: v if isinstance(v, str) else v.get('default', '') for k, v in {**action['inputs'], **uses[0]['with']}.items()}
    variables = {k: re.sub(r'\$\{\{ inputs\.(\w+) \}\}', lambda m: values[m[1]], v) for k, v in compile_step['env'].items()}
    for _ in range(2):
        run(compile_step['run'], folder, GITHUB_PATH=str(folder / 'path'), GITHUB_OUTPUT=str(folder / 'output'), HOME=str(folder), **variables)
    if not (folder / 'vadd.build.sdfgc.zip').is_file() or not (folder / 'sdfgc-cache').is_dir():
        faults.append('action.yml: compiling leaves no package, or no cache')
    if 'package=vadd.build.sdfgc.zip' not in (folder / 'output').read_text():
        faults.append('action.yml: the output `package` is not set')


def dependencies():
    """What the project's CMake files search, in lower case."""
    text = read('cmake/SdfgcDependencies.cmake') + read('lib/Run/CMakeLists.txt')
    found = {name.lower() for name in re.findall(r'find_package\(([\w-]+)', text)} - {'threads'}
    return found | {'rapidjson', 'isl', 'libffi'}


def check_recipes():
    version = re.search(r'project\(sdfgc VERSION ([\d.]+)', read('CMakeLists.txt'))[1]
    least = re.search(r'cmake_minimum_required\(VERSION ([\d.]+)', read('CMakeLists.txt'))[1]
    spack, conda = read('packaging/spack/package.py'), read('packaging/conda/meta.yaml')
    classes = [node for node in ast.parse(spack).body if isinstance(node, ast.ClassDef)]
    if [c.name for c in classes] != ['Sdfgc']:
        faults.append('package.py: Spack expects one class Sdfgc')
    if f"version('{version}', tag='v{version}')" not in spack:
        faults.append(f'package.py: there is no version {version}')
    listed = {re.split(r'[@ ]', name)[0].removesuffix('-api') for name in re.findall(r"depends_on\('([^']+)'", spack)}
    for name in dependencies() ^ (listed - {'c', 'cxx', 'cmake', 'ninja'}):
        faults.append(f'package.py: {name} is missing, or not needed')
    set_version = re.search(r'set version = "([\d.]+)"', conda)[1]
    values = {'version': set_version, "compiler('c')": 'gcc', "compiler('cxx')": 'gxx', "stdlib('c')": 'sysroot'}
    plain = re.sub(r'\{\{ (.*?) \}\}', lambda m: values[m[1]], re.sub(r'\{%.*?%\}', '', conda))
    recipe = yaml.safe_load(plain)
    if recipe['package'] != {'name': 'sdfgc', 'version': version}:
        faults.append(f'meta.yaml: the package is {recipe["package"]}, not sdfgc {version}')
    for name in dependencies() ^ set(recipe['requirements']['host']):
        faults.append(f'meta.yaml: {name} is missing, or not needed')
    if not (ROOT / 'packaging/conda' / recipe['source']['path'] / 'CMakeLists.txt').exists():
        faults.append('meta.yaml: its source is not this project')
    for text, cmake in ((spack, f'cmake@{least}:'), (conda, f'cmake >={least}')):
        if cmake not in text:
            faults.append(f'a recipe does not ask for {cmake}')
    folder = OUT / 'conda'
    for path in recipe['test']['source_files']:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    for command in recipe['test']['commands']:
        run(command, folder)


shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
check_docker()
check_action()
check_recipes()
print(*faults, sep='\n')
print(f'{len(faults)} faults')
sys.exit(bool(faults))
