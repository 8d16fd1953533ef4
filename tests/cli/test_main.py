import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.terminal import Run
from treewright.cli.main import VERBS, _report
from treewright.cli.outputs import replace_whole
from treewright.cli.verbs import train
from vector_levels import LEVELS

PROGRAM = "import sys; from treewright.cli.main import main; main()"


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_help_lists_every_verb_in_the_order_of_the_work(run: Run) -> None:
    said = run("--help")
    assert said.code == 0
    places = [said.out.index(f"\n  {verb} ") for verb in VERBS]
    assert places == sorted(places)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_json_and_debug(run: Run, verb: str) -> None:
    said = run(verb, "--help")
    assert said.code == 0
    assert "--json" in said.out
    assert "--debug" in said.out


def test_help_needs_no_heavy_package() -> None:
    check = PROGRAM.replace(
        "main()", "\ntry: main(['--help'])\nexcept SystemExit: print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    loaded = done.stderr
    assert "'click'" in loaded
    assert not [heavy for heavy in ("numpy", "pandas", "sklearn", "duckdb", "rich") if f"'{heavy}'" in loaded]


def test_an_unknown_verb_is_wrong_usage_and_names_the_nearest(run: Run) -> None:
    said = run("trian", "a.csv")
    assert said.code == 2
    assert "Did you mean 'train'?" in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["train", "t.csv", "--max-depth", "3"], "--set max_depth=VALUE"),
        (["compare", "t.csv", "--max-depth", "3"], "--set cart.max_depth=VALUE"),
    ],
)
def test_a_parameter_that_is_given_as_an_option_is_told_its_form(run: Run, arguments: list[str], cure: str) -> None:
    said = run(*arguments)
    assert said.code == 2
    assert said.err.endswith(f"Error: No such option '--max-depth'. It is a parameter of the method: {cure}.\n")
    assert "parameter of the method" not in run("train", "t.csv", "--no-such-thing").err


def test_no_verb_is_wrong_usage(run: Run) -> None:
    said = run()
    assert said.code == 2
    assert "Usage: treewright" in said.err


def test_a_fault_of_ours_shows_a_traceback_only_with_debug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_request: object) -> None:
        raise ZeroDivisionError("spilt milk")

    monkeypatch.setattr(train, "_train", fail)
    said = run("train", "a.csv", "--target", "t")
    assert said.code == 1
    assert "ZeroDivisionError: spilt milk" in said.err
    assert "--debug" in said.err
    assert "Traceback" in run("train", "a.csv", "--target", "t", "--debug").err


def test_ctrl_c_ends_with_130_and_writes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(_request: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "_train", interrupt)
    said = run("train", "a.csv", "--target", "t", "--out", "m.tw")
    assert said.code == 130
    assert "Interrupted" in said.err
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_waiting_for_stdin_ends_with_130() -> None:
    process = start("profile", "-", stdin=subprocess.PIPE)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    names = [f"column_{i}" for i in range(5000)]
    table.write_text(",".join(names) + "\n" + "\n".join(",".join("1" for _ in names) for _ in range(2)) + "\n")
    reader, writer = os.pipe()
    command = [sys.executable, "-c", PROGRAM, "profile", str(table)]
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    os.read(reader, 10)
    os.close(reader)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == b""


def test_a_terminal_without_the_characters_still_gets_an_answer(titanic: Path) -> None:
    process = start("train", titanic, "--target", "survived", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert b"survived" in out
    assert b"?" not in out


def test_json_is_one_document_on_stdout(run: Run, titanic: Path) -> None:
    assert json.loads(run("profile", titanic, "--json").out)["rows"] == 1309


def test_a_level_of_vectors_that_the_processor_lacks_is_a_sentence() -> None:
    missing = next(level for level in ("neon", "avx512") if level not in LEVELS)
    environment = {**os.environ, "TREEWRIGHT_VECTORS": missing}
    said = subprocess.run(
        [sys.executable, "-m", "treewright", "doctor"], env=environment, capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert said.stderr.startswith(f"Error: TREEWRIGHT_VECTORS is '{missing}', but this processor has only baseline")


def test_a_full_disk_is_told_with_the_file_that_was_to_be_written(tmp_path: Path) -> None:
    def fill(draft: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left") as told:
        replace_whole(tmp_path / "r.html", fill)
    assert told.value.filename == str(tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_system_names_the_file_and_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    missing = PermissionError(errno.EACCES, "Permission denied", "there.html")
    told = []
    for error in (full, missing):
        assert _report(error, debug=False) == 3
        told.append(capsys.readouterr().err.strip())
    assert told == [
        "Error: No space left on device. Make room there, or write to another folder.",
        "Error: there.html: Permission denied. Is it the right file, and may you use it?",
    ]
