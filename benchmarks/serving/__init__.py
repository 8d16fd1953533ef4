"""The server beside a FastAPI application around scikit-learn: `python -m benchmarks.serving` (needs wrk)."""
