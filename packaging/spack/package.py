"""The package of sdfgc for Spack: `spack repo add` a repository with this file in packages/sdfgc, then `spack install sdfgc`."""
from spack.package import *


class Sdfgc(CMakePackage):
    """Ahead-of-time compiler for stateful dataflow multigraphs (SDFGs), the graphs of DaCe."""

    git = 'PLACEHOLDER(repository)'

    version('0.1.0', tag='v0.1.0')
    version('main', branch='main')

    depends_on('c', type='build')
    depends_on('cxx', type='build')
    depends_on('cmake@3.25:', type='build')
    depends_on('ninja', type='build')
    depends_on('cli11', type='build')
    depends_on('rapidjson', type='build')
    depends_on('zlib-api')
    depends_on('libffi')
    depends_on('yaml-cpp@0.7:')
    depends_on('fmt@9:')
    depends_on('spdlog@1.10: +fmt_external')
    depends_on('isl@0.20:')

    conflicts('%gcc@:11', msg='sdfgc is written in C++20')

    generator('ninja')

    def cmake_args(self):
        return [self.define('BUILD_TESTING', False)]

    @run_after('install')
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(join_path(self.prefix.bin, 'sdfgc'))('--version')
