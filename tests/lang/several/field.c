#include "field.h"

int u[N];
void fill(int from) {
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = from + i * i;
}
