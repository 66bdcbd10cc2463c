/* The kernels of the check: the solvers' loops of ../loops.c on tables that no compiler can foresee, the memoized search,
   and the article's question on bit planes. mark() stands before and after each, in the order of `kernels` in
   scripts/consoles-check.sh. The same object file is counted under QEMU and timed on the other machine. */
#include <stdint.h>

void mark(void);
void reach_planes(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *, int);
int reach_memo(uint8_t *, uint32_t *, const uint16_t *, int, int);
int trail_bound(const int *, const int *, int, int, int, int, int);
uint32_t path_sift(uint32_t *, uint32_t, uint32_t, uint32_t);
uint32_t path_scan(const uint32_t *, const uint32_t *, const uint32_t *, int);
int chain_flood(const uint8_t *, int, uint8_t);
uint32_t chain_groups(const uint32_t *, int);

static uint32_t seed;
volatile uint32_t answer;

static uint32_t next(void) { return seed = seed * 1664525 + 1013904223; }

enum { ROWS = 64, ARCS = 256, MOVES = 64, CELLS = 256, HEAP = 1024 };
static uint32_t planes[4][ROWS + 2], queue[ARCS + 4], heap[HEAP + 2];
static uint8_t seen[4 * ARCS], cells[CELLS + 32];
static uint16_t targets[ARCS];
static int plus[MOVES], times[MOVES];

/* The memoized search on a small board: the most steps left at each vertex. */
enum { SIDE = 12, STEPS = 24 };
static uint8_t left[SIDE * SIDE], walls[SIDE * SIDE];

static void search(int vertex, int steps) {
  if (left[vertex] >= steps) return;
  left[vertex] = steps;
  if (steps == 1) return;
  if (vertex >= SIDE && !(walls[vertex] & 1)) search(vertex - SIDE, steps - 1);
  if (vertex % SIDE < SIDE - 1 && !(walls[vertex] & 2)) search(vertex + 1, steps - 1);
  if (vertex < SIDE * (SIDE - 1) && !(walls[vertex + SIDE] & 1)) search(vertex + SIDE, steps - 1);
  if (vertex % SIDE && !(walls[vertex - 1] & 2)) search(vertex - 1, steps - 1);
}

/* The article's question: 30 x 30 stations, exactly 48 steps, no turning back; a plane for each direction of arrival. */
enum { BOARD = 30 };
static uint32_t east[BOARD + 2], south[BOARD + 2], now[4][BOARD + 2], then[4][BOARD + 2];

static void step(uint32_t from[4][BOARD + 2], uint32_t to[4][BOARD + 2]) {
  for (int row = 1; row <= BOARD; row++) {
    uint32_t n = from[0][row], e = from[1][row], s = from[2][row], w = from[3][row];
    to[0][row] = (from[0][row + 1] | from[1][row + 1] | from[3][row + 1]) & south[row];
    to[2][row] = (from[2][row - 1] | from[1][row - 1] | from[3][row - 1]) & south[row - 1];
    to[1][row] = ((n | s | e) & east[row]) << 1;
    to[3][row] = ((n | s | w) >> 1) & east[row];
  }
}

static void bitboard(void) {
  for (int plane = 0; plane < 4; plane++)
    for (int row = 0; row < BOARD + 2; row++) now[plane][row] = then[plane][row] = 0;
  for (int plane = 0; plane < 4; plane++) now[plane][BOARD / 2] = 1u << BOARD / 2;
  for (int pair = 0; pair < 24; pair++) step(now, then), step(then, now);
  uint32_t count = 0;
  for (int row = 1; row <= BOARD; row++)
    for (uint32_t all = now[0][row] | now[1][row] | now[2][row] | now[3][row]; all; all &= all - 1) count++;
  answer = count;
}

#ifdef STREAMS
/* Beyond every cache: double words stored in a row. */
enum { STREAM = 1 << 18 };
static uint64_t stream[STREAM / 8];

static void store_stream(void) {
  volatile uint64_t *to = stream;
  for (int eight = 0; eight < STREAM / 64; eight++, to += 8)
    to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = to[7] = 0;
}
#endif

void kernels(void) {
  seed = 12345;
  for (int plane = 0; plane < 4; plane++)
    for (int row = 0; row < ROWS + 2; row++) planes[plane][row] = next();
  for (int arc = 0; arc < ARCS; arc++) targets[arc] = next() >> 16 & 255;
  for (int move = 0; move < MOVES; move++) plus[move] = move * 7 & 31, times[move] = move * 5 & 15;
  for (int cell = 0; cell < CELLS + 32; cell++) cells[cell] = (next() >> 20) % 5;
  for (int entry = 0; entry < HEAP + 2; entry++) heap[entry] = entry * 3;
  for (int state = 0; state < 4 * ARCS; state++) seen[state] = 0;
  for (int vertex = 0; vertex < SIDE * SIDE; vertex++) seed = next(), left[vertex] = 0, walls[vertex] = seed >> 24 & 3 & seed >> 27;
  for (int row = 1; row <= BOARD; row++) {
    uint32_t right = next(), down = next();
    east[row] = (right | right >> 7) & 0x1fffffff;
    south[row] = row < BOARD ? (down | down >> 9) & 0x3fffffff : 0;
  }
  mark(), mark();
  mark(), reach_planes(planes[3], planes[0], planes[1], planes[2], ROWS), mark();
  mark(), answer = reach_memo(seen, queue, targets, ARCS, 1), mark();
  mark(), answer = trail_bound(plus, times, MOVES, 100, 2000, 3, 5000), mark();
  mark(), answer = path_sift(heap, 0, 9999, 9), mark();
  mark(), answer = path_scan(planes[0], planes[1], planes[2], ROWS), mark();
  mark(), answer = chain_flood(cells, CELLS, 3), mark();
  mark(), answer = chain_groups(planes[0], ROWS), mark();
  mark(), search(SIDE * SIDE / 2, STEPS), mark();
  mark(), bitboard(), mark();
#ifdef STREAMS
  mark(), store_stream(), mark();
#endif
}
