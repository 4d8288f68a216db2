# Configuration of lit: tests below test/lit run sdfgc and check what it prints.
#
# CTest passes `--param sdfgc=PATH`, `--param tools=FOLDER` (FileCheck, not, split-file), `--param out=FOLDER` and `--param cache=FOLDER`.
import os
import shutil

import lit.formats

config.name = 'sdfgc'
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = ['.test']
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params['out']

# `%sdfgc` before `%s`: lit replaces in this order.
config.substitutions += [
    ('%sdfgc', lit_config.params['sdfgc']),
    ('%misuse', lit_config.params['misuse']),
    ('%wrong', os.path.join(os.path.dirname(lit_config.params['sdfgc']), 'sdfgcWrong')), # test/WrongPasses
    ('%graphs', os.path.join(config.test_source_root, 'graphs')),
    # For tests of what GPU programs do with loops of the host: none becomes a kernel.
    ('%host_loops', ' '.join(f'--pass-option {name}.device=false' for name in
                             ('promote-bounds', 'loops-to-maps', 'distribute-loops', 'alternate-buffers', 'loops-into-maps')) +
     ' --pass-option persist-loops.blocks=false'),
    ('%root', os.path.dirname(config.test_source_root)),
]
# `UNSUPPORTED: address-sanitizer`: what it reports in place of the program.
if 'address' in lit_config.params.get('sanitize', ''):
    config.available_features.add('address-sanitizer')
# Compilers for devices, cuBLAS and rocPRIM, where there are any: tests that need one say `REQUIRES: nvcc`. `%compile-cuda`, `%compile-hip`: does
# it compile, without a warning?
for compiler, target, places, flags in (
    ('nvcc', 'cuda', ('/usr/local/cuda/bin', '/opt/cuda/bin'),
     ' -std=c++20 -O0 -Xcicc -O0 -Xptxas -O0 --extended-lambda --expt-relaxed-constexpr -Werror all-warnings'),
    ('hipcc', 'hip', ('/opt/rocm/bin',), ' -std=c++20 -O0 -Wall -Werror -x hip'),
):
    found = shutil.which(compiler, path=os.pathsep.join((os.environ['PATH'],) + places))
    config.substitutions.append(('%' + compiler, found or 'false'))
    config.substitutions.append(('%compile-' + target, found + flags if found else 'false'))
    if found:
        config.available_features.add(compiler)
        toolkit = os.path.dirname(os.path.dirname(os.path.realpath(found)))
        for library, header, of in (('cublas', 'cublas_v2.h', 'nvcc'), ('rocprim', 'rocprim/rocprim.hpp', 'hipcc')):
            if compiler == of and any(os.path.exists(os.path.join(folder, 'include', header)) for folder in (toolkit, '/usr')):
                config.available_features.add(library)
# An MPI with its launcher: `REQUIRES: mpirun`.
if shutil.which('mpirun') and any(os.path.exists(p) for p in ('/usr/lib/x86_64-linux-gnu/pkgconfig/ompi-c.pc', '/usr/lib/aarch64-linux-gnu/pkgconfig/ompi-c.pc')):
    config.available_features.add('mpirun')
    if any(os.path.exists('/usr/lib/' + machine + '-linux-gnu/libscalapack-openmpi.so') for machine in ('x86_64', 'aarch64')):
        config.available_features.add('scalapack')
# The processor's family, and an emulator for older processors: `REQUIRES: x86_64`, `REQUIRES: qemu-x86_64`.
config.available_features.add(os.uname().machine)
if os.uname().machine == 'x86_64' and shutil.which('qemu-x86_64'):
    config.available_features.add('qemu-x86_64')
# A cross compiler, and an emulator that runs what it makes: `REQUIRES: aarch64-cross`.
if os.uname().machine != 'aarch64' and shutil.which('aarch64-linux-gnu-g++') and shutil.which('qemu-aarch64'):
    config.available_features.add('aarch64-cross')
# An OpenCL driver for processors, with what compiles programs for it: `REQUIRES: pocl`. `%check-cl`: is it OpenCL C 1.2?
if os.path.exists('/etc/OpenCL/vendors/pocl.icd') and os.path.exists('/usr/include/CL/cl.h'):
    config.available_features.add('pocl')
clang = next((found for found in map(shutil.which, ('clang', 'clang-14', 'clang-15', 'clang-16')) if found), None)
config.substitutions.append(('%check-cl', (clang or 'false') + ' -x cl -cl-std=CL1.2 -fsyntax-only -Xclang -finclude-default-header -Werror -I' +
                             os.path.join(os.path.dirname(config.test_source_root), 'runtime-headers')))
if clang:
    config.available_features.add('clang')
# What takes minutes and repeats in breadth what other tests look at: `REQUIRES: nightly`. tools/dev/test.sh --nightly runs these, too.
if os.environ.get('SDFGC_NIGHTLY'):
    config.available_features.add('nightly')
config.environment['PATH'] = lit_config.params['tools'] + os.pathsep + os.environ['PATH']
# Objects of the runtime that many tests compile with the same options, and nobody else uses.
config.environment['XDG_CACHE_HOME'] = lit_config.params['cache']
for name in ('HOME', 'TMPDIR', 'CCACHE_DIR', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS'):
    if name in os.environ:
        config.environment[name] = os.environ[name]
