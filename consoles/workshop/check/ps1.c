/* The kernels on a PS1, timed by its second root counter, which counts every eighth cycle, and the first: cycles modulo
   65,536. Twice, so that the second time the code is in its cache. What they took stands at 0x80100000 after two words
   that tell it apart: a word when all is done, how many marks there were, both counts of each two marks. */
#include <stdint.h>

#define WORD(address) (*(volatile uint32_t *)(address))
#define OUT ((volatile uint32_t *)0x80100008)

static uint32_t marks, eighths, lines;

void mark(void) {
  uint32_t line = WORD(0xbf801110) & 0xffff, eighth = WORD(0xbf801120) & 0xffff;
  if (marks & 1) {
    OUT[1 + marks] = eighth - eighths & 0xffff;
    OUT[2 + marks] = line - lines & 0xffff;
  }
  OUT[1] = ++marks;
  lines = WORD(0xbf801110) & 0xffff;
  eighths = WORD(0xbf801120) & 0xffff;
}

void kernels(void);

void begin(void) {
  WORD(0xbf801124) = 0x200;
  WORD(0xbf801114) = 0x100;
  OUT[-2] = 0x0ddba11, OUT[-1] = 0x5eed5eed, OUT[0] = OUT[1] = 0;
  kernels(), kernels();
  OUT[0] = 0xc0de;
  for (;;) continue;
}
