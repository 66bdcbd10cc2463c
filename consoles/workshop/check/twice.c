/* The kernels of a MIPS program without a library, twice. */
void kernels(void);
void begin(void) { kernels(), kernels(); }
