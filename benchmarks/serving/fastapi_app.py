"""What people write around scikit-learn: FastAPI, a pydantic row, a pipeline that was unpickled."""

import os
from typing import Any


def make_app() -> Any:
    """Give the application; what it needs is not installed with treewright, so that it is imported here."""
    import joblib
    import pandas as pd
    from fastapi import FastAPI
    from pydantic import BaseModel

    app = FastAPI()
    model: Any = joblib.load(os.environ["SERVED_PIPELINE"])

    class Row(BaseModel):
        sex: str | None = None
        age: float | None = None
        passengerClass: str | None = None  # noqa: N815  the name of the column

    @app.post("/predict")
    def predict(row: Row) -> dict[str, Any]:
        return {"predictions": model.predict(pd.DataFrame([row.model_dump()])).tolist()}

    return app
