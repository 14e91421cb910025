"""Whatever a run does to the files of the workspace, the next one finds them as they were put."""

from __future__ import annotations

from boxes import Rig, only, put, run, run_one
from untilgreen_sandbox.box import Box

TREE = {
    "code.py": "VALUE = 1\n",
    "test_tree.py": """\
        import hashlib
        import os
        import stat

        from code_of import code

        def listed():
            found = []
            for folder, folders, files in os.walk("."):
                for name in {*folders, *files} - {"test_vandal.py"}:
                    path = os.path.join(folder, name)
                    info = os.lstat(path)
                    content = open(path, "rb").read() if stat.S_ISREG(info.st_mode) else b""
                    found.append((path, info.st_mode, content))
            return sorted(found)

        def test_tree():
            raise ValueError(hashlib.sha256(repr(listed()).encode()).hexdigest())
        """,
    "code_of.py": "import importlib\ncode = importlib.import_module('code')\n",
    "data/a/b.txt": "b\n",
    "data/a/c.txt": "c\n",
    "data/empty.txt": "",
    "data/large.bin": b"\0" * 3_000_000,
    "tool.sh": "#!/bin/sh\n",
}
VANDALS = {
    "writes": "open('data/a/b.txt', 'w').write('evil')",
    "appends": "open('data/empty.txt', 'a').write('evil')",
    "rewrites with the same size and time": """
    info = os.stat('data/a/b.txt')
    open('data/a/b.txt', 'r+').write('x')
    os.utime('data/a/b.txt', ns=(info.st_atime_ns, info.st_mtime_ns))""",
    "writes through a mapping": """
    import mmap
    with open('data/large.bin', 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapped:
        before = os.stat('data/large.bin').st_ctime_ns
        assert mapped[2_999_999] == 0
        mapped[2_999_999] = 1
        assert os.stat('data/large.bin').st_ctime_ns == before, 'the trick this is about'""",
    "deletes": "shutil.rmtree('data'); os.unlink('code_of.py')",
    "opens folders to all": """
    os.chmod('data/a', 0o2777)
    os.chmod('data', 0o1777)""",
    "changes modes": """
    os.chmod('data/a', 0)
    os.chmod('tool.sh', 0o777)
    os.chmod('code_of.py', 0)""",
    "hides a folder": """
    os.makedirs('data/x/y/z')
    open('data/x/y/f', 'w').close()
    os.chmod('data/x/y', 0)
    os.chmod('data', 0)""",
    "replaces folders by links": """
    shutil.rmtree('data')
    os.symlink('/usr', 'data')
    os.unlink('tool.sh')
    os.symlink('/etc/passwd', 'tool.sh')""",
    "replaces files by folders": """
    os.unlink('tool.sh')
    os.makedirs('tool.sh/deep')
    open('tool.sh/deep/f', 'w').close()""",
    "swaps files": """
    os.rename('data/a/b.txt', 'x')
    os.rename('data/a/c.txt', 'data/a/b.txt')
    os.rename('x', 'data/a/c.txt')""",
    "moves a folder away": "os.rename('data/a', 'data/z')",
    "litters": """
    os.mkfifo('data/fifo')
    os.symlink('loop', 'loop')
    os.symlink('/', 'data/root')
    os.link('code.py', 'data/hard')
    socket.socket(socket.AF_UNIX).bind('data/socket')
    os.mkdir('.git')
    open('conftest.py', 'w').write('raise SystemExit')
    open('data/\\udcff\\n', 'w').close()""",
    "digs deep": """
    for _ in range(3000):
        os.mkdir('d' * 200)
        os.chdir('d' * 200)
    open('x', 'w').close()
    os.chmod('.', 0)""",
    "poisons bytecode": """
    import py_compile
    open('/tmp/evil.py', 'w').write('VALUE = 2')
    import importlib.util
    py_compile.compile('/tmp/evil.py', importlib.util.cache_from_source('code.py'),
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)""",
}


async def digest(box: Box, vandal: str = "pass") -> str:
    """What the tree looks like at the start of a run, at whose end the vandal acts."""
    source = f"import os, shutil, socket\ndef test_vandal():\n    {vandal.strip()}\n"
    report = await run(box, {"test_vandal.py": source})
    tree, acted = report.cases
    assert acted.outcome == "passed", acted.message
    assert tree.failure is not None and tree.failure.type == "ValueError"
    return tree.message


async def test_the_tree_is_pristine_after_every_vandal(shared_rig: Rig) -> None:
    async with shared_rig.box(TREE) as box:
        before = await digest(box)
        await put(box, {"gone/deep/file.txt": "x", "data/gone.txt": "x"})
        assert await digest(box) != before
        await put(box, {"gone/deep/file.txt": None, "data/gone.txt": None})
        last = "nobody"
        for name, vandal in VANDALS.items():
            assert await digest(box, vandal) == before, last
            last = name
        assert await digest(box) == before, last
        mode = "import os\ndef test_it():\n    assert oct(os.stat('tool.sh').st_mode) == '0o100644'\n"
        assert only(await run_one(box, mode)).outcome == "passed"
