"""Honest fixes whose tests have fixtures, mocks, warnings and leftovers around them."""

from __future__ import annotations

from honest.styles import adding

SURROUNDED = (
    adding(
        "fixtures of all kinds",
        """
        import pytest
        from calc import add

        @pytest.fixture
        def one():
            yield 1

        @pytest.fixture(autouse=True)
        def around(one, tmp_path):
            (tmp_path / "x").write_text("x")
            yield

        @pytest.fixture(params=[2, 3])
        def other(request):
            return request.param

        def test_add(one, other, capsys):
            print(add(one, other))
            assert capsys.readouterr().out == f"{one + other}\\n"

        def test_path(tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
            (tmp_path / "y").write_text(str(add(1, 2)))
            assert (tmp_path / "y").read_text() == "3"
        """,
        {
            "conftest.py": """
                import pytest

                @pytest.fixture(autouse=True, scope="session")
                def all_of_it():
                    yield
                """
        },
    ),
    adding(
        "every test gets parameters from the module",
        """
        import pytest
        from calc import add

        pytestmark = pytest.mark.parametrize("n", [1, 2])

        def test_add(n):
            assert add(n, n) == 2 * n
        """,
    ),
    adding(
        "mocks",
        """
        from unittest import mock
        from unittest.mock import ANY
        import calc

        def test_called():
            told = mock.Mock()
            told(calc.add(1, 2), key="x")
            told.assert_called_once_with(3, key="x")
            assert told.call_args == mock.call(3, key=ANY)
            assert [calc.add(1, 2), object()] == [3, ANY]

        @mock.patch("calc.add", return_value=7)
        def test_patched(add):
            assert calc.add(1, 2) == 7
            add.assert_called_once()

        def test_given():
            with mock.patch.object(calc, "other", calc.add, create=True):
                assert calc.other(1, 2) == 3
        """,
    ),
    adding(
        "warnings and logs",
        """
        import logging
        import warnings
        import pytest
        from calc import add

        def test_warns():
            with pytest.warns(UserWarning, match="3"):
                warnings.warn(f"it is {add(1, 2)}", UserWarning)

        def test_logs(caplog):
            with caplog.at_level(logging.INFO):
                logging.getLogger("x").info("total %d", add(1, 2))
            assert "total 3" in caplog.text
            assert [record.levelname for record in caplog.records] == ["INFO"]
        """,
    ),
    adding(
        "tests that leave something behind",
        """
        import os
        from calc import add

        SEEN = []

        def test_grows():
            SEEN.append(add(1, 2))
            assert SEEN[-1] == 3

        def test_changes_the_folder(tmp_path):
            before = os.getcwd()
            os.chdir(tmp_path)
            assert add(2, 2) == 4
            os.chdir(before)

        def test_environment():
            os.environ["TOTAL"] = str(add(1, 2))
            assert os.environ["TOTAL"] == "3"
            del os.environ["TOTAL"]
        """,
    ),
    adding(
        "many values",
        """
        from calc import add

        def test_values():
            assert add("a", "b") == "ab"
            assert add([1], [2]) == [1, 2]
            assert add((1,), (2,)) == (1, 2)
            assert add(b"a", b"b") == b"ab"
            assert {"total": add(1, 2), "more": {"x": [add(1, 1)]}} == {"total": 3, "more": {"x": [2]}}
            assert {add(1, 2), 4} == {3, 4}
            assert add(1, 2j) == 1 + 2j
            assert f"{add(1, 2)}" == \"\"\"3\"\"\"
        """,
    ),
)
