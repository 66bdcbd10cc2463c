/* The kernels under QEMU, twice, so that the second time they are in the caches. A mark is a sched_yield. */
#include <sched.h>

void kernels(void);
void mark(void) { sched_yield(); }
int main(void) { kernels(), kernels(); return 0; }
