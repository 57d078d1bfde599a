"""A package, so that its cluster ends with the last of its tests: see the scope in conftest.py."""
