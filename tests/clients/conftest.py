"""Programs that use a GPU, on OpenPTX. `make clients` installs what they need; without it they are skipped."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(tempfile.gettempdir(), "openptx-tests-triton"))
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or Triton 3.9 warns that its default will change
