"""MpC and SMint: C with shared arrays, and loops that are dealt to ranks."""
