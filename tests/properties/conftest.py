"""What the properties are asserted with tells what it found, as asserts in a test do."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("properties.engine")
