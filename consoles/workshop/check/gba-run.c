/* Runs a GBA program in libmgba until it is done and prints the cycles between its marks, one a line. */
#include <mgba/flags.h>
#include <mgba/core/core.h>
#include <mgba/core/config.h>
#include <mgba/core/log.h>
#include <stdio.h>
#include <stdlib.h>

static void silent(struct mLogger *logger, int category, enum mLogLevel level, const char *format, va_list words) {}

int main(int count, char **words) {
  static struct mLogger logger = {.log = silent};
  mLogSetDefaultLogger(&logger);
  struct mCore *core = count == 2 ? mCoreFind(words[1]) : NULL;
  if (!core) return fputs("expected a GBA program\n", stderr), 1;
  core->init(core);
  mCoreInitConfig(core, NULL);
  core->setVideoBuffer(core, malloc(256 * 256 * 4), 256);
  if (!mCoreLoadFile(core, words[1])) return fputs("the program cannot be loaded\n", stderr), 1;
  core->reset(core);
  for (int frame = 0; core->rawRead32(core, 0x0203f000, -1) != 0xc0de; frame++) {
    if (frame == 3000) return fputs("the program does not end\n", stderr), 1;
    core->runFrame(core);
  }
  uint32_t marks = core->rawRead32(core, 0x0203f004, -1);
  for (uint32_t pair = 0; pair < marks / 2; pair++) printf("%u\n", core->rawRead32(core, 0x0203f008 + 4 * pair, -1));
  return 0;
}
