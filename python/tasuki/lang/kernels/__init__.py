"""Writes CUDA: a kernel for each loop of OpenACC, and what it is given."""
