"""`python -m openptx` is the command `openptx`."""

import sys

from openptx.cli import main

sys.exit(main())
