/* A number of an array's bits: the same where all of them are. */
#include <stddef.h>
#include <string.h>

static unsigned long long digest_of(const double* numbers, size_t count) {
  unsigned long long digest = 1469598103934665603ull;
  for (size_t k = 0; k < count; k++) {
    unsigned long long bits;
    memcpy(&bits, &numbers[k], sizeof bits);
    digest = (digest ^ bits) * 1099511628211ull;
  }
  return digest;
}
