"""``PYTHONPATH=bench python -m tasuki_bench`` is what `make bench` runs."""

import sys

from tasuki_bench.main import main

if __name__ == "__main__":
    sys.exit(main())
