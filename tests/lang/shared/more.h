/* What smint.c and smint_more.c both see. */
enum { OTHERS = 12 };
#pragma SMint shared ::[NPROCS](0, NPROCS)
extern int in_other[OTHERS];
void more(void);
