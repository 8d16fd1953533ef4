"""A model on disk."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright.errors import ModelFileError
from treewright.save import read_model, write_model

OLD = ({"name": "old"}, {"x": np.arange(5)})
NEW = ({"name": "new"}, {"x": np.arange(7)})


def assert_only_the_old_model_is_there(path: Path) -> None:
    assert read_model(path)[0] == OLD[0]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_model(tmp_path / "m.tw", *OLD)
    header, arrays = read_model(str(tmp_path / "m.tw"))
    assert header == OLD[0]
    assert arrays["x"].tolist() == [0, 1, 2, 3, 4]


def test_a_new_model_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    write_model(tmp_path / "m.tw", *OLD)
    write_model(tmp_path / "m.tw", *NEW)
    assert read_model(tmp_path / "m.tw")[0] == NEW[0]
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.tw"]


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    old = os.umask(0o027)
    try:
        write_model(path, *OLD)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_model(path, *NEW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    write_model(tmp_path / "m.tw", *OLD)
    (tmp_path / "link.tw").symlink_to("m.tw")
    write_model(tmp_path / "link.tw", *NEW)
    assert (tmp_path / "link.tw").is_symlink()
    assert read_model(tmp_path / "m.tw")[0] == NEW[0]


@pytest.mark.parametrize("step", ["fsync", "replace", "fdopen"])
@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_whatever_fails_on_the_way_the_old_model_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, problem: BaseException
) -> None:
    path = tmp_path / "m.tw"
    write_model(path, *OLD)

    def fail(*_: Any, **__: Any) -> Any:
        raise problem

    with monkeypatch.context() as patched:
        patched.setattr(Path if step == "replace" else os, step, fail)
        expected = ModelFileError if isinstance(problem, OSError) else KeyboardInterrupt
        with pytest.raises(expected) as caught:
            write_model(path, *NEW)
    if isinstance(problem, OSError):
        assert "No space left on device. Nothing was changed there." in str(caught.value)
    assert_only_the_old_model_is_there(path)


def test_a_full_disk_leaves_the_old_model_whole(tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    write_model(path, *OLD)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))  # the kernel refuses larger files, as a full disk
    try:
        with pytest.raises(ModelFileError, match="could not be saved"):
            write_model(path, {"name": "new"}, {"x": np.random.default_rng(0).random(1_000_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert_only_the_old_model_is_there(path)


def test_being_killed_while_saving_leaves_a_whole_model(tmp_path: Path) -> None:
    path = tmp_path / "m.tw"
    write_model(path, *OLD)
    program = (
        "import sys, numpy as np\n"
        "from treewright.save import write_model\n"
        "big = {'x': np.random.default_rng(0).random(2_000_000)}\n"
        "print('go', flush=True)\n"
        "while True: write_model(sys.argv[1], {'name': 'new'}, big)\n"
    )
    for delay in (0.0, 0.05, 0.11):
        child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(delay)
            child.kill()
        assert read_model(path)[0]["name"] in ("old", "new")


@pytest.mark.parametrize(
    ("where", "reason"),
    [("no_folder/m.tw", "No such file or directory"), ("m.tw/inside.tw", "Not a directory"), ("", "Is a directory")],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, where: str, reason: str) -> None:
    (tmp_path / "m.tw").write_bytes(b"")
    with pytest.raises(ModelFileError, match=f"could not be saved to {tmp_path}.*{reason}"):
        write_model(tmp_path / where, *NEW)


@pytest.mark.parametrize(("where", "reason"), [("none.tw", "No such file or directory"), ("", "Is a directory")])
def test_a_place_that_cannot_be_read_is_named(tmp_path: Path, where: str, reason: str) -> None:
    with pytest.raises(ModelFileError, match=f"{tmp_path}.* could not be read: {reason}"):
        read_model(tmp_path / where)


def test_an_endless_file_is_refused_after_its_first_bytes() -> None:
    with pytest.raises(ModelFileError, match="/dev/zero is not a treewright model file"):
        read_model("/dev/zero")


def test_a_device_is_written_through_and_not_replaced() -> None:
    write_model("/dev/null", *NEW)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_damaged_file_is_named_by_its_path(tmp_path: Path) -> None:
    write_model(tmp_path / "m.tw", *OLD)
    (tmp_path / "m.tw").write_bytes((tmp_path / "m.tw").read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=f"{tmp_path}/m.tw is cut short"):
        read_model(tmp_path / "m.tw")


def test_a_link_that_leads_nowhere_yet_is_followed_too(tmp_path: Path) -> None:
    (tmp_path / "link.tw").symlink_to("m.tw")
    write_model(tmp_path / "link.tw", *NEW)
    assert (tmp_path / "link.tw").is_symlink()
    assert read_model(tmp_path / "m.tw")[0] == NEW[0]


@pytest.mark.parametrize("links", [{"a.tw": "a.tw"}, {"a.tw": "b.tw", "b.tw": "a.tw"}])
def test_a_link_without_end_is_refused_and_stays(tmp_path: Path, links: dict[str, str]) -> None:
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    with pytest.raises(ModelFileError, match="symbolic links"):
        write_model(tmp_path / "a.tw", *NEW)
    assert {entry.name: str(entry.readlink()) for entry in tmp_path.iterdir()} == links


def test_a_path_may_be_bytes(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "m\udcff.tw")  # a name that is no UTF-8
    write_model(path, *NEW)
    assert read_model(path)[0] == NEW[0]


@pytest.mark.parametrize("path", ["a\0b", b"a\0b", Path("a\0b")])
def test_a_zero_byte_in_a_path_is_told(path: Any) -> None:
    for use in (lambda: write_model(path, *NEW), lambda: read_model(path)):
        with pytest.raises(ModelFileError, match="zero byte"):
            use()


@pytest.mark.parametrize("path", [3, None, 1.5, ["m.tw"]])
def test_what_is_no_path_is_told(path: Any) -> None:
    for use in (lambda: write_model(path, *NEW), lambda: read_model(path)):
        with pytest.raises(ModelFileError, match=f"Got {type(path).__name__} instead"):
            use()


def test_the_next_save_clears_what_a_killed_one_left_and_nothing_else(tmp_path: Path) -> None:
    program = (
        "import os, sys, signal\n"
        "from pathlib import Path\n"
        "from treewright.save.model_file import open_part\n"
        "file = open_part(Path(sys.argv[1]))\n"
        "file.write(b'half'); file.flush()\n"
        "print('go', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    parts = [tmp_path / ".treewright-0123456789abcdef.part", tmp_path / ".treewright-fedcba9876543210.part"]
    (tmp_path / ".treewright-notes.txt").write_text("mine", encoding="ascii")
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with contextlib.ExitStack() as stack:
        children = [
            stack.enter_context(subprocess.Popen([sys.executable, "-c", program, str(part)], **pipes)) for part in parts
        ]
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        children[0].kill()
        children[0].wait()
        write_model(tmp_path / "m.tw", *NEW)
        left = sorted(entry.name for entry in tmp_path.iterdir())
        assert left == [parts[1].name, ".treewright-notes.txt", "m.tw"]  # the second process is alive
        children[1].kill()
    write_model(tmp_path / "m.tw", *NEW)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".treewright-notes.txt", "m.tw"]
