"""What `make bench` runs: what is measured here, how it is kept, and how it is shown. In no wheel."""
