"""The version of the package, which is that of sdfgc."""
__version__ = '0.1.0'
