/* The hot loops of the solvers in C, each a loop of one basic block, so that a compiler's schedule of the block can be
   compared with the scoreboard's. */
#include <stdint.h>

/* reach: a step of four bit planes. */
void reach_planes(uint32_t *to, const uint32_t *north, const uint32_t *west, const uint32_t *open, int rows) {
  for (int row = 0; row < rows; row++) {
    uint32_t n = north[row], w = west[row], both = n & w, one = (n | w) & open[row];
    to[row] = (one << 1 | one >> 1 | both) & open[row + 1];
  }
}

/* reach: the memoized search marks the states that an arc leads to. */
int reach_memo(uint8_t *seen, uint32_t *queue, const uint16_t *targets, int arcs, int layer) {
  int tail = 0;
  for (int arc = 0; arc < arcs; arc++) {
    int state = targets[arc] * 4 + layer;
    int fresh = !seen[state];
    seen[state] = 1;
    queue[tail] = (uint32_t)state;
    tail += fresh;
  }
  return tail;
}

/* trail: the bound (score + free sum) * free product of one move after the other. */
int trail_bound(const int *plus, const int *times, int moves, int score, int sum, int product, int best) {
  int cuts = 0;
  for (int move = 0; move < moves; move++) {
    sum -= plus[move];
    cuts += (score + sum) * (product + times[move]) <= best;
  }
  return cuts;
}

/* path: a heap's entry sinks to the smallest of its children. */
uint32_t path_sift(uint32_t *heap, uint32_t place, uint32_t entry, uint32_t depth) {
  for (uint32_t level = 0; level < depth; level++) {
    uint32_t left = heap[2 * place + 1], right = heap[2 * place + 2];
    uint32_t child = 2 * place + 1 + (right < left);
    heap[place] = right < left ? right : left;
    place = child;
  }
  heap[place] = entry;
  return place;
}

/* path: words of a row scanned for a forced neighbour. */
uint32_t path_scan(const uint32_t *above, const uint32_t *here, const uint32_t *below, int words) {
  uint32_t found = 0;
  for (int word = 0; word < words; word++) {
    uint32_t a = above[word], b = below[word];
    found |= (~(a << 1) & a) | (~(b << 1) & b) | ~here[word];
  }
  return found;
}

/* chain: neighbours of a cell compared with its colour. */
int chain_flood(const uint8_t *cells, int count, uint8_t colour) {
  int same = 0;
  for (int cell = 0; cell < count; cell++)
    same += (cells[cell] == colour) & ((cells[cell + 1] == colour) | (cells[cell + 16] == colour));
  return same;
}

/* chain: groups of four on a plane of bits, by counting neighbours. */
uint32_t chain_groups(const uint32_t *planes, int count) {
  uint32_t all = 0;
  for (int plane = 0; plane < count; plane++) {
    uint32_t p = planes[plane], u = p & p << 1, d = p & p >> 1, l = p & p << 16, r = p & p >> 16;
    uint32_t two = (u & d) | (l & r) | ((u | d) & (l | r)), three = (u & d & (l | r)) | (l & r & (u | d));
    all |= three | (two & (two << 1 | two << 16));
  }
  return all;
}
