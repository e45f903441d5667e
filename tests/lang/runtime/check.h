/* What the programs say where something is wrong: a line, and status 1. */
#ifndef TASUKI_TESTS_CHECK_H
#define TASUKI_TESTS_CHECK_H
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#define CHECK(is, ...)                                                              \
  do {                                                                              \
    if (!(is)) {                                                                    \
      fprintf(stderr, "%s:%d: rank %d: ", __FILE__, __LINE__, xmpc_all_node_num()); \
      fprintf(stderr, __VA_ARGS__);                                                 \
      fputc('\n', stderr);                                                          \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)
#endif
