"""The real server on a free port: answers, refusals, new versions, and its end."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from serve.running import JSON, Running, serving
from treewright.errors import DataError
from treewright.serve import answers
from treewright.serve.request_rows import read_rows
from treewright.serve.shelf import ServedModel, Shelf

ARROW = "application/vnd.apache.arrow.stream"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models")
    X, y = tw.datasets.load_titanic(return_X_y=True)
    tw.save(tw.GradientBoostingClassifier(n_estimators=10).fit(X, y), path / "titanic.tw")
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    tw.save(tw.DecisionTreeRegressor(max_depth=4).fit(X.select_dtypes("number"), y), path / "mpg.tw")
    tw.save(tw.LinearRegression().fit(np.arange(8.0)[:, None], np.arange(8.0)), path / "line.tw")
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Running]:
    words = [str(folder / "titanic.tw"), f"cars={folder / 'mpg.tw'}", str(folder / "line.tw"), "--max-body", "1"]
    with serving(*words) as running:
        yield running


@pytest.fixture(scope="module")
def titanic(folder: Path) -> tuple[object, pd.DataFrame]:
    return tw.load(folder / "titanic.tw"), tw.datasets.load_titanic(return_X_y=True)[0]


def test_one_row_by_name_or_as_a_list_is_answered_as_by_predict_one(server, titanic):
    model, _ = titanic
    for row in ({"sex": "female", "age": 30}, ["male", 3, "1st"], {"sex": None}):
        status, said = server.ask("/predict?model=titanic", {"row": row})
        assert (status, said["predictions"]) == (200, [model.predict_one(row)])
        assert (said["model"], said["version"]) == ("titanic", model.fingerprint())


def test_rows_and_columns_of_json_and_csv_and_arrow_are_answered_as_by_predict(server, titanic):
    model, X = titanic
    X = X.iloc[:300]
    expected, shares = model.predict(X).tolist(), model.predict_proba(X)
    plain = json.loads(X.to_json(orient="records"))
    columns = json.loads(X.to_json(orient="split"))
    by_column = {name: [row[j] for row in columns["data"]] for j, name in enumerate(columns["columns"])}
    for body in ({"rows": plain}, {"columns": by_column}):
        status, said = server.ask("/predict?model=titanic&probabilities=true", body)
        assert (status, said["predictions"], said["classes"]) == (200, expected, ["no", "yes"])
        assert (np.array(said["probabilities"]) == shares).all()
    status, headers, text = server.send("/predict?model=titanic", X.to_csv(index=False).encode(), "text/csv")
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/csv")
    assert pd.read_csv(io.BytesIO(text))["prediction"].tolist() == expected
    sink = io.BytesIO()
    table = pa.Table.from_pandas(X, preserve_index=False)
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    status, headers, data = server.send("/predict?model=titanic&probabilities=1", sink.getvalue(), ARROW)
    answers = pa.ipc.open_stream(data).read_all()
    assert (status, headers["content-type"]) == (200, ARROW)
    assert answers["prediction"].to_pylist() == expected
    assert (answers["probability of yes"].to_numpy() == shares[:, 1]).all()


def served(model: object, folder: Path) -> ServedModel:
    tw.save(model, folder / "m.tw")
    return Shelf.open([str(folder / "m.tw")]).find(None)


def test_levels_that_look_like_numbers_or_holes_are_levels_in_csv(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"zip": rng.choice(["01", "1", "1.0", "10"], 200), "word": rng.choice(["NA", "None", "null", "x"], 200)}
    )
    X["number"] = rng.normal(size=200).round(3)
    X.loc[::7, "number"] = np.nan
    y = X["zip"] + X["word"]
    model = tw.DecisionTreeClassifier().fit(X, y)
    rows = read_rows(X.to_csv(index=False, na_rep="nan").encode(), "text/csv", served(model, tmp_path))
    assert model.predict(rows.table).tolist() == model.predict(X).tolist() == y.tolist()


def test_columns_of_json_are_read_as_one_by_one(tmp_path):
    X = pd.DataFrame({"number": [0.5, 1.0, 2.0, 3.0] * 20, "level": pd.Categorical([1, 2, 3, 4] * 20)})
    model = tw.DecisionTreeRegressor().fit(X, np.arange(80) % 4 / 3)
    shelf = served(model, tmp_path)
    for number in (0.5, 1, None, 2**53 + 1, 2**64, -(10**400), 1e308, True, "2.5", "", float("nan")):
        for level in (1, 2.0, None, 9, True):
            row = [number, level]
            one = read_rows(json.dumps({"row": row}).encode(), JSON, shelf)
            try:
                expected = json.loads(answers.predict(shelf, one, False))["predictions"][0]
            except DataError:
                expected = None
            for many in ({"rows": [[1.5, 3], row]}, {"columns": {"level": [3, level], "number": [1.5, number]}}):
                try:
                    rows = read_rows(json.dumps(many).encode(), JSON, shelf)
                    said = json.loads(answers.predict(shelf, rows, False))["predictions"][1]
                except DataError:
                    said = None
                assert said == expected, (row, many)


@pytest.mark.parametrize("numbers", [[1.0, -0.0, 0.1, 1e22], [5e-324, 1.7976931348623157e308, 1e-5, 1e16, 2 / 3]])
def test_answers_are_written_so_that_they_read_back_as_the_same(tmp_path, numbers):
    X = np.arange(float(len(numbers)))[:, None]
    model = tw.DecisionTreeRegressor(min_samples_leaf=1).fit(X, np.arange(len(numbers)))
    shelf = served(model, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(shelf.model), "predict", lambda self, table: np.array(numbers))
        rows = read_rows(json.dumps({"columns": {"x0": X[:, 0].tolist()}}).encode(), JSON, shelf)
        said = json.loads(answers.predict(shelf, rows, False))["predictions"]
        rows = read_rows(pd.DataFrame(X, columns=["x0"]).to_csv(index=False).encode(), "text/csv", shelf)
        cells = answers.predict(shelf, rows, False).decode().split("\n")
    assert (cells[0], cells[-1]) == ("prediction", "")
    for found in (said, [float(cell) for cell in cells[1:-1]]):
        assert list(map(repr, found)) == list(map(repr, numbers))


def test_classes_that_are_doubles_come_with_their_probabilities(tmp_path):
    X = pd.DataFrame({"x0": [1, 2, 3]})
    shelf = served(tw.DecisionTreeClassifier().fit(X, [1.0, 2.0, 3.0]), tmp_path)
    said = json.loads(answers.predict(shelf, read_rows(b'{"columns": {"x0": [3, 1]}}', JSON, shelf), True))
    assert (said["predictions"], said["classes"]) == ([3.0, 1.0], [1.0, 2.0, 3.0])
    assert said["probabilities"] == shelf.model.predict_proba(X.iloc[[2, 0]]).tolist()


def test_why_and_explain_say_what_the_model_says(server, titanic):
    model, _ = titanic
    row = {"sex": "female", "age": 30.0, "passengerClass": "1st"}
    status, said = server.ask("/why?model=titanic", {"row": row})
    assert (status, said["sentence"]) == (200, model.why(row).to_dict()["sentence"])
    status, said = server.ask("/explain?model=titanic", {"row": row})
    assert status == 200
    assert np.array(said["shap_values"]).tolist() == model.shap_values(pd.DataFrame([row])).tolist()
    status, said = server.ask("/why?model=line", {"row": [1.0]})
    assert (status, "no trees" in said["error"]) == (422, True)


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/predict", {"row": {}}, 400, "There are 3 models; say which by ?model=NAME"),
        ("/predict?model=titanc", {"row": {}}, 404, "Did you mean 'titanic'?"),
        ("/predict?model=titanic", {"row": {"agee": 3}}, 422, "Did you mean 'age'?"),
        ("/predict?model=titanic", {"rows": [{"age": "abc"}, {"age": 1}]}, 422, "Column 'age' is numeric"),
        ("/predict?model=titanic", {"rows": []}, 422, "at least one row"),
        ("/predict?model=titanic", {"rows": [3]}, 422, "Row 1 must be an object by column name"),
        ("/predict?model=titanic", {"row": [1, 2]}, 422, "a list of 3 values"),
        ("/predict?model=titanic", {"row": {"age": [1]}}, 422, "a list or an object where a value belongs"),
        ("/predict?model=titanic", [1], 422, "not what is asked for"),
        ("/predict?model=titanic", {"columns": {"age": [1]}}, 422, "The table has no column 'sex'"),
        ("/predict?model=titanic", {"columns": {"age": [1], "sex": []}}, 422, "must be of one length"),
        ("/predict?model=cars&probabilities=1", {"row": {}}, 422, "has no probabilities"),
        ("/why?model=titanic", {"rows": [{}, {}]}, 422, "explains one row"),
        ("/nothing", None, 404, "/openapi.json"),
        ("/predict", None, 405, "Method Not Allowed"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_with_a_sentence(server, path, body, status, words):
    got, said = server.ask(path, body)
    assert got == status
    assert words in said["error"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", JSON, 400),
        (b"[" * 100_000, JSON, 400),
        (b"\xff\xfe", JSON, 400),
        (b"not arrow", ARROW, 400),
        (b"", "text/csv", 400),
        (b"a,b\n1,2\n", "text/csv", 422),
        (b"<row/>", "application/xml", 415),
        (b" " * (2**20 + 1), JSON, 413),
    ],
)
def test_bodies_that_are_none_are_refused(server, body, kind, status):
    got, _, said = server.send("/predict?model=titanic", body, kind)
    assert got == status
    assert json.loads(said)["error"]


def test_a_body_without_a_length_is_read_up_to_the_limit(server):
    parts = (b" " * 100_000 for _ in range(12))
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/predict?model=titanic", parts, {"Content-Type": JSON}, encode_chunked=True)
        with connection.getresponse() as reply:
            assert reply.status == 413


def test_the_server_tells_what_it_has_and_how_it_is(server, titanic):
    status, said = server.ask("/model?model=titanic")
    assert (status, said["kind"], said["target"]) == (200, "GradientBoostingClassifier", "survived")
    assert [column["name"] for column in said["columns"]] == ["sex", "age", "passengerClass"]
    assert [one["model"] for one in server.ask("/model")[1]["models"]] == ["titanic", "cars", "line"]
    assert server.ask("/health") == (200, {"status": "ok", "models": ["titanic", "cars", "line"]})
    metrics = server.send("/metrics")[2].decode()
    assert 'treewright_requests_total{path="/health",status="200"}' in metrics
    assert f'treewright_model_info{{model="titanic",version="{titanic[0].fingerprint()}"}} 1' in metrics
    status, document = server.ask("/openapi.json")
    assert (status, document["openapi"]) == (200, "3.1.0")
    assert {"/predict", "/why", "/explain"} < document["paths"].keys()
    status, headers, page = server.send("/")
    assert (status, b"Try a row" in page) == (200, True)
    assert headers["content-security-policy"].startswith("default-src 'none'")


def test_the_description_for_programs_names_what_can_be_asked_and_refused(server):
    paths = server.ask("/openapi.json")[1]["paths"]
    predict = paths["/predict"]["post"]
    assert [one["name"] for one in predict["parameters"]] == ["model", "probabilities"]
    assert predict["parameters"][0]["required"]  # there are three
    assert {"400", "401", "404", "408", "413", "415", "422", "503"} < predict["responses"].keys()
    assert list(predict["responses"]["200"]["content"]) == [JSON, "text/csv", ARROW]
    assert list(paths["/why"]["post"]["responses"]["200"]["content"]) == [JSON]


def test_the_token_is_asked_for_everywhere_but_for_the_page_and_health(folder):
    with serving(str(folder / "mpg.tw"), "--token", "a secret") as server:
        assert server.ask("/health")[0] == server.send("/")[0] == 200
        for path, body in (("/predict", {"row": {}}), ("/model", None), ("/metrics", None), ("/openapi.json", None)):
            for token in (None, "another", "a secret "):
                assert server.ask(path, body, token)[0] == 401
        assert server.ask("/predict", {"row": {}}, "a secret")[0] == 200
        assert server.ask("/openapi.json", None, "a secret")[1]["security"] == [{"token": []}]


def test_a_new_version_is_taken_without_losing_a_request(tmp_path):
    X, low, high = [[1.0], [2.0]], [1.0, 1.0], [2.0, 2.0]
    path = tmp_path / "m.tw"
    tw.save(tw.DecisionTreeRegressor().fit(X, low), path)
    with serving(str(path)) as server:
        answers: list[tuple[int, float]] = []
        done = threading.Event()

        def keep_asking() -> None:
            while not done.is_set():
                status, said = server.ask("/predict", {"row": [1.0]})
                answers.append((status, said.get("predictions", [None])[0]))

        threads = [threading.Thread(target=keep_asking) for _ in range(3)]
        for thread in threads:
            thread.start()
        tw.save(tw.DecisionTreeRegressor().fit(X, high), path)
        until = time.monotonic() + 60
        while (200, 2.0) not in answers[-20:] and time.monotonic() < until:
            time.sleep(0.1)
        path.write_bytes(b"damaged")
        while b"reload_failures_total 0" in server.send("/metrics")[2] and time.monotonic() < until:
            time.sleep(0.1)
        done.set()
        for thread in threads:
            thread.join()
        assert {status for status, _ in answers} == {200}
        assert [value for _, value in answers if value is None] == []
        assert answers[-1] == (200, 2.0)
        assert server.ask("/predict", {"row": [1.0]})[1]["predictions"] == [2.0]


def test_a_request_that_has_begun_is_answered_when_the_server_stops(folder):
    X = tw.datasets.load_titanic(return_X_y=True)[0]
    rows = json.loads(pd.concat([X] * 4).to_json(orient="records"))
    body = json.dumps({"rows": rows}).encode()
    with (
        serving(str(folder / "titanic.tw")) as server,
        contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection,
    ):
        connection.putrequest("POST", "/predict")
        for name, value in (("Content-Type", JSON), ("Content-Length", len(body)), ("Expect", "100-continue")):
            connection.putheader(name, value)
        connection.endheaders()
        # The server says this when it waits for the body: from then on the request has begun, however busy the machine.
        assert connection.sock.recv(1000).startswith(b"HTTP/1.1 100")
        server.process.send_signal(signal.SIGTERM)
        connection.send(body)
        with connection.getresponse() as reply:
            assert (reply.status, len(json.loads(reply.read())["predictions"])) == (200, len(rows))
        assert server.process.wait(60) is not None


def test_what_takes_too_long_is_refused_with_a_sentence(folder):
    X = tw.datasets.load_titanic(return_X_y=True)[0]
    rows = json.loads(pd.concat([X] * 60).to_json(orient="records"))
    with serving(str(folder / "titanic.tw"), "--timeout", "0.1") as server:
        status, said = server.ask("/explain", {"rows": rows})
        assert status in (408, 503)
        assert "0.1 s" in said["error"]


@pytest.mark.parametrize(
    ("words", "told"),
    [(["no_such.tw"], "could not be read"), (["m.tw", "m.tw"], "Two models are called 'm'")],
)
def test_a_server_that_cannot_start_says_why(words, told, tmp_path, monkeypatch):
    tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]), tmp_path / "m.tw")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=told), serving(*words):
        pass


def test_a_bad_file_is_told_of_once_and_looked_at_again_when_it_changes(tmp_path):
    path = tmp_path / "m.tw"
    tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]), path)
    shelf = Shelf.open([str(path)])
    path.write_bytes(b"damaged")
    assert len(shelf.refresh()) == 1
    assert shelf.refresh() == []
    path.unlink()
    assert len(shelf.refresh()) == 1
    assert (shelf.refresh(), shelf.failures) == ([], 2)
    tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [1, 3]), path)
    assert shelf.refresh() == []
    assert (shelf.reloads, shelf.find(None).model.predict_one([2])) == (1, 3.0)


def test_a_proof_that_comes_after_its_model_is_taken(tmp_path):
    path, other = tmp_path / "m.tw", tmp_path / "new.tw"
    tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]).export(path)
    tw.DecisionTreeRegressor().fit([[1], [2]], [1, 3]).export(other)
    shelf = Shelf.open([str(path)])
    other.replace(path)
    assert "its proof fails" in shelf.refresh()[0]
    other.with_name("new.tw.proof.json").replace(path.with_name("m.tw.proof.json"))
    assert shelf.refresh() == []
    assert shelf.find(None).model.predict_one([2]) == 3.0


def test_a_server_listens_to_this_machine_alone_and_writes_no_file(tmp_path, monkeypatch):
    path = tmp_path / "m.tw"
    tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]), path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(str(path)) as server:
        for asked in ("/predict", "/why", "/explain"):
            assert server.ask(asked, {"rows": [{"x0": 1}]})[0] == 200
        with pytest.raises(OSError, match="refused"):  # another address of this machine, which 0.0.0.0 would take in
            socket.create_connection(("127.0.0.2", server.port), timeout=10)
        files = {file.name for file in tmp_path.iterdir()}
    assert files == {"m.tw"}
