/* An array that two sources share: field.c has it, main.c uses it. */
#define N 10
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
extern int u[N];
#pragma xmp align u[i] with t[i]
#pragma xmp shadow u[1]
void fill(int from);
