"""Write the model files of format version 4 that every later treewright has to read. Run once, then keep the files.

python tests/compat/make_version_4.py

The networks were written before networks had `preset` and `n_models`, when `max_iter` could not be "auto".
"""

from __future__ import annotations

import json
from pathlib import Path

import treewright as tw
from compat.make_version_1 import small_table

FOLDER = Path(__file__).parent / "version_4"


def main() -> None:
    """Write the models and what they predict; existing files are never overwritten."""
    X, risk, income = small_table()
    models = {
        "network": tw.MLPClassifier((4,), max_iter=20, random_state=0).fit(X, risk),
        "network_of_numbers": tw.MLPRegressor((3, 2), "tanh", max_iter=20, early_stopping=True).fit(X, income),
        "autoencoder": tw.Autoencoder((2,), max_iter=20).fit(X),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, model in models.items():
        path = FOLDER / f"{name}.tw"
        if path.exists():
            raise SystemExit(f"{path} exists. Files of an old version are kept as they are.")
        tw.save(model, path)
        ask = model.encode if name == "autoencoder" else getattr(model, "predict_proba", None) or model.predict
        told = {"answers": ask(X).tolist(), "text": str(model)}
        path.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
