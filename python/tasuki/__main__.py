"""``python -m tasuki`` is the ``tasuki`` command."""

import sys

from tasuki.cli import main

if __name__ == "__main__":
    sys.exit(main())
