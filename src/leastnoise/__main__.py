"""``python -m leastnoise`` is the command ``leastnoise``."""

import sys

from leastnoise.cli import main

sys.exit(main())
