/* Runs a PS1 program in a libretro core until it is done and prints the cycles between its marks, one a line, to eight
   cycles. The BIOS lies in the folder of the second argument. The results are found in the core's saved state. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAN_DUPE = 3, SYSTEM_FOLDER = 9, PIXEL_FORMAT = 10, LOG = 27, SAVE_FOLDER = 31 };
enum { CYCLES_OF_LINE = 2146, CYCLES_OF_ROUND = 8 << 16 };

static const char *folder;

static void silent(int level, const char *format, ...) {}
static bool environment(unsigned command, void *data) {
  switch (command & 0xffff) {
    case SYSTEM_FOLDER: case SAVE_FOLDER: *(const char **)data = folder; return true;
    case CAN_DUPE: *(bool *)data = true; return true;
    case PIXEL_FORMAT: return true;
    case LOG: *(void **)data = (void *)silent; return true;
    default: return false;
  }
}
static void video(const void *picture, unsigned width, unsigned height, size_t pitch) {}
static void sound(int16_t left, int16_t right) {}
static size_t sounds(const int16_t *all, size_t count) { return count; }
static void poll(void) {}
static int16_t input(unsigned port, unsigned device, unsigned index, unsigned id) { return 0; }

static void *core;
static void *named(const char *name) {
  void *function = dlsym(core, name);
  if (!function) fprintf(stderr, "the core has no %s\n", name), exit(1);
  return function;
}
static void set(const char *name, void *function) { ((void (*)(void *))named(name))(function); }

/* The words after the two that tell the results apart, if all is done. */
static const uint8_t *results(const uint8_t *state, size_t size) {
  static const uint32_t apart[3] = {0x0ddba11, 0x5eed5eed, 0xc0de};
  for (size_t at = 0; at + 4096 < size; at++)
    if (!memcmp(state + at, apart, sizeof apart)) return state + at + 8;
  return NULL;
}

int main(int count, char **words) {
  if (count != 4) return fputs("expected a core, the folder of its BIOS and a program\n", stderr), 1;
  folder = words[2];
  core = dlopen(words[1], RTLD_NOW);
  if (!core) return fprintf(stderr, "%s\n", dlerror()), 1;
  set("retro_set_environment", environment), set("retro_set_video_refresh", video);
  set("retro_set_audio_sample", sound), set("retro_set_audio_sample_batch", sounds);
  set("retro_set_input_poll", poll), set("retro_set_input_state", input);
  ((void (*)(void))named("retro_init"))();
  struct { const char *path; const void *data; size_t size; const char *meta; } game = {words[3]};
  if (!((bool (*)(void *))named("retro_load_game"))(&game)) return fputs("the core refuses the program\n", stderr), 1;
  size_t size = ((size_t (*)(void))named("retro_serialize_size"))();
  uint8_t *state = malloc(size);
  const uint8_t *found = NULL;
  for (int frame = 1; !found && frame <= 600; frame++) {
    ((void (*)(void))named("retro_run"))();
    if (frame % 20) continue;
    ((bool (*)(void *, size_t))named("retro_serialize"))(state, size);
    found = results(state, size);
  }
  if (!found) return fputs("the program does not end\n", stderr), 1;
  uint32_t out[1024];
  memcpy(out, found, sizeof out);
  for (uint32_t mark = 1; mark < out[1]; mark += 2) {
    long eighths = out[1 + mark] * 8L, lines = (long)out[2 + mark] * CYCLES_OF_LINE;
    long rounds = (lines - eighths + CYCLES_OF_ROUND / 2) / CYCLES_OF_ROUND;
    printf("%ld\n", eighths + (rounds > 0 ? rounds : 0) * CYCLES_OF_ROUND);
  }
  return 0;
}
