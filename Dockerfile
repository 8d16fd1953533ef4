# A server for model files: docker build -t treewright . && docker run -p 8000:8000 -v "$PWD/models:/models:ro" treewright /models/credit.tw
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels "/source[serve,frames]"

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "treewright[serve,frames]" && rm -rf /wheels
USER nobody
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
# The token comes by the variable TREEWRIGHT_TOKEN.
ENTRYPOINT ["treewright", "serve", "--host", "0.0.0.0", "--port", "8000"]
