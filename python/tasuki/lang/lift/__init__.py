"""Makes programs of the core from time loops, where that is proven to be the same."""
