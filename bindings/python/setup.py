"""Only for sdfgc-dace.pth, which makes Python read the variable SDFGC_DACE when it starts; pyproject.toml has the rest."""
import os

import setuptools
from setuptools.command.build_py import build_py


class BuildWithPth(build_py):
    """Puts the file beside the package, since only `.pth` files directly in site-packages count."""

    def run(self):
        super().run()
        if not getattr(self, 'editable_mode', False):
            self.copy_file('sdfgc-dace.pth', os.path.join(self.build_lib, 'sdfgc-dace.pth'))

    def get_outputs(self, *args, **kwargs):
        return [*super().get_outputs(*args, **kwargs), os.path.join(self.build_lib, 'sdfgc-dace.pth')]


setuptools.setup(cmdclass={'build_py': BuildWithPth})
