import multiprocessing
import threading

from ledger import work


def test_processes():
    assert work.in_processes([1, 2, 3]) == [1, 4, 9]


def test_threads():
    assert work.in_threads([3, 2]) == [9, 4]
    assert threading.active_count() == 1


def test_child(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", ".")
    assert work.in_child("21") == 4


def test_value():
    shared = multiprocessing.Value("i", 0)
    process = multiprocessing.get_context("fork").Process(target=shared.__setattr__, args=("value", 7))
    process.start()
    process.join(10)
    assert (process.exitcode, shared.value) == (0, 7)
