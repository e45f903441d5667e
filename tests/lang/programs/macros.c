/* Macros in pragmas, _Pragma, pragmas that go on in the next line, another compiler's pragma inside, a header's. */
#include <stdio.h>
#define EXTENT (4 * K)
#define K 5
#define ON(i) t(i)
#define LOOP(i) _Pragma("xmp loop (i) on t(i)")
#pragma xmp nodes \
  p(*)
#pragma xmp template t(0:EXTENT-1) // to the end
#pragma xmp distribute t(block) /* in blocks */ onto p
int a[EXTENT];
#pragma xmp align a[i] with ON(i)
#define SET(index, what) a[index] = (what) + a[index]
int main(void) {
  int i, total = 0;
  LOOP(i)
  for (i = 0; i < EXTENT; i++) SET(i, i);
#pragma xmp loop (i) on ON(i) \
    reduction(+ : total)
  for (i = 0; i < EXTENT; i++) {
#pragma omp simd reduction(+ : total)
    for (int k = 0; k < K; k++) total += k * a[i];
  }
  if (total > 0)
#pragma xmp task on p(1)
    printf("%d\n", total);
  else
    printf("nothing\n");
}
