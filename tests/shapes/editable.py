"""Projects that are installed, editable, in an environment of their own."""

from __future__ import annotations

from shapes.shape import CODE, Shape, tests_of

BUILT_BY_SETUPTOOLS = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "shop"
version = "1"
"""

EDITABLE = (
    Shape(
        "editable install of a compiled extension",
        {
            "pyproject.toml": BUILT_BY_SETUPTOOLS,
            "setup.py": """\
                from setuptools import Extension, setup

                # Of the stable interface: the same file serves every Python 3.
                fast = Extension(
                    "shop._fast",
                    ["src/shop/_fast.c"],
                    define_macros=[("Py_LIMITED_API", "0x03090000")],
                    py_limited_api=True,
                )
                setup(ext_modules=[fast])
                """,
            "src/shop/__init__.py": "from shop._fast import double\n",
            "src/shop/_fast.c": """\
                #include <Python.h>

                static PyObject *twice(PyObject *self, PyObject *number) {
                    return PyNumber_Add(number, number);
                }

                static PyMethodDef methods[] = {{"double", twice, METH_O, NULL}, {NULL, NULL, 0, NULL}};
                static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", NULL, 0, methods};

                PyMODINIT_FUNC PyInit__fast(void) {
                    return PyModule_Create(&module);
                }
                """,
            "tests/test_shop.py": tests_of("shop"),
        },
        editable=True,
    ),
    Shape(
        "editable install of another folder",
        {
            "pyproject.toml": BUILT_BY_SETUPTOOLS + "[tool.setuptools.packages.find]\nwhere = ['lib']\n",
            "lib/shop/__init__.py": CODE,
            "tests/test_shop.py": tests_of("shop"),
        },
        editable=True,
        # Only the environment knows that folder, and an image has none of this machine.
        backends=("bubblewrap",),
    ),
)
