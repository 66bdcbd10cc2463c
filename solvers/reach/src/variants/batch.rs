//! `batch`: many starts at once, with one 256-bit word for each arc.
//!
//! Bit `i` of the word of an arc is set if a walk from the `i`-th start can have arrived by the arc. A walk may leave
//! through an exit if walks arrived by two edges, or by one other edge. This step is the same for all 256 starts, on
//! maps of any degree. On bipartite maps the starts of one colour are grouped, so that a step handles half of the
//! arcs. Grids are taken too, but `bitboard` answers them faster, start after start.
//!
//! Without the god, the reverse of a walk is a walk: the starts that reach `v` are the vertices that `v` reaches.
//! They are the row of `v` in the answer, so no transposition is needed.

use ikeru_core::{Attempt, Deadline, OURS, Search, Solve, Variant, skip};

use super::avx2::{self, Detected, VectorWork, deposit};
use super::{begin, with_route};
use crate::Reach;
use crate::answer::{Answer, insert};
use crate::colouring::{Classes, from_and_to};
use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, Starts};

pub const VARIANT: Variant<Reach> = Variant {
    name: "batch",
    about: "256 starts at once on maps that are no grid: one wide word per directed edge, without the god",
    source: OURS,
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        if instance.question.holder().is_some() {
            skip!("answers only the plain question, without the god");
        }
        Ok(Box::new(Batch::new(instance)))
    },
};

/// A set of up to 256 starts.
type Word = [u64; 4];
const WORD_BITS: usize = 256;

struct Batch<'a> {
    instance: &'a Instance,
    classes: [BatchClass; 2],
    /// The place of each vertex: its class and its index in the class.
    places: Vec<(u8, u32)>,
    bipartite: bool,
    /// The number of arcs examined in the current answer.
    arcs: u64,
}

/// The vertices from which a step starts.
struct BatchClass {
    vertices: Vec<Vertex>,
    /// The start of the arrivals of each vertex, and the end of the last ones.
    offsets: Vec<u32>,
    /// For every exit, the arrival of the other class to which it leads.
    exits: Vec<u32>,
    /// For every arrival, the starts whose walks can have arrived by it.
    words: Vec<Word>,
    /// The vertices of this class as bits.
    members: Vec<u64>,
}

impl<'a> Batch<'a> {
    fn new(instance: &'a Instance) -> Self {
        let graph = &*instance.graph;
        let colouring = Classes::of(graph);
        let places = colouring.places(graph.vertices());
        let Classes {
            vertices,
            bipartite,
        } = colouring;
        let offsets = [offsets(graph, &vertices[0]), offsets(graph, &vertices[1])];
        let reverse = graph.reverse_arcs();
        let mut colour = 0;
        let classes = vertices.map(|vertices| {
            let mut exits = Vec::new();
            for arc in vertices.iter().flat_map(|&vertex| graph.arcs(vertex)) {
                let head = graph.head(arc);
                let slot = reverse[arc] - graph.arcs(head).start as u32;
                exits.push(offsets[1 - colour][places[head as usize].1 as usize] + slot);
            }
            let mut members = vec![0; graph.vertices().div_ceil(64)];
            vertices
                .iter()
                .for_each(|&vertex| insert(&mut members, vertex));
            let offsets = offsets[colour].clone();
            colour += 1;
            BatchClass {
                words: vec![[0; 4]; exits.len()],
                vertices,
                offsets,
                exits,
                members,
            }
        });
        Self {
            instance,
            classes,
            places,
            bipartite,
            arcs: 0,
        }
    }

    /// Walks from up to 256 `starts` of the class `colour`. Returns the class where the walks end; `None` if the
    /// deadline passed first.
    #[inline(always)]
    fn walk(&mut self, colour: usize, starts: &[Vertex], deadline: Deadline) -> Option<usize> {
        for class in &mut self.classes {
            class.words.fill([0; 4]);
        }
        let mut colour = colour;
        let (from, to) = from_and_to(&mut self.classes, colour);
        for (index, &start) in starts.iter().enumerate() {
            let place = self.places[start as usize].1 as usize;
            for &exit in from.exits_of(place) {
                to.words[exit as usize][index / 64] |= 1 << (index % 64);
            }
        }
        colour ^= 1;
        let exits = self.classes[colour]
            .exits
            .len()
            .max(self.classes[1 - colour].exits.len());
        let mut ticker = deadline.ticker(1 + (100_000 / (exits + 1)) as u32);
        for _ in 1..self.instance.question.steps {
            if ticker.passed() {
                return None;
            }
            let (from, to) = from_and_to(&mut self.classes, colour);
            from.advance(&mut to.words);
            self.arcs += from.exits.len() as u64;
            colour ^= 1;
        }
        Some(colour)
    }

    /// Answers all starts of one class; `false` if the deadline passed.
    fn answer_class(&mut self, colour: usize, answer: &mut Answer, search: &Search) -> bool {
        let starts = match self.instance.question.starts {
            Starts::One(start) => vec![start],
            Starts::All => self.classes[colour].vertices.clone(),
        };
        let chunks: Vec<&[Vertex]> = starts.chunks(WORD_BITS).collect();
        // For each vertex of the last class, the starts that reach it, chunk after chunk.
        let mut reached: Vec<Word> = Vec::new();
        let mut last = 0;
        for (index, chunk) in chunks.iter().enumerate() {
            let walk = ArcWalk {
                batch: self,
                colour,
                starts: chunk,
                deadline: search.deadline,
            };
            let Some(reached_class) = avx2::run(walk) else {
                return false;
            };
            last = reached_class;
            let class = &self.classes[last];
            reached.resize(class.vertices.len() * chunks.len(), [0; 4]);
            for place in 0..class.vertices.len() {
                reached[place * chunks.len() + index] = class.arrived(place);
            }
            if index > 0 && search.deadline.passed() {
                return false;
            }
        }
        let mut ticker = search.deadline.ticker(256);
        match self.instance.question.starts {
            Starts::One(_) => {
                for (&vertex, word) in self.classes[last].vertices.iter().zip(&reached) {
                    if word[0] != 0 {
                        insert(answer.reachable.row_mut(0), vertex);
                    }
                }
            }
            Starts::All => {
                let members = &self.classes[colour].members;
                let rows = reached.chunks_exact(chunks.len().max(1));
                for (&vertex, words) in self.classes[last].vertices.iter().zip(rows) {
                    if ticker.passed() {
                        return false;
                    }
                    let row = answer.reachable.row_mut(vertex as usize);
                    let words = words.as_flattened();
                    avx2::run(Spread {
                        words,
                        members,
                        row,
                    });
                }
            }
        }
        true
    }
}

/// Up to 256 walks.
struct ArcWalk<'a, 'b> {
    batch: &'b mut Batch<'a>,
    colour: usize,
    starts: &'b [Vertex],
    deadline: Deadline<'b>,
}

impl VectorWork for ArcWalk<'_, '_> {
    type Output = Option<usize>;
    #[inline(always)]
    fn run(self, _: Option<Detected>) -> Option<usize> {
        self.batch.walk(self.colour, self.starts, self.deadline)
    }
}

/// Moves bit `i` of `words` to the place of the `i`-th member of `members`.
struct Spread<'b> {
    words: &'b [u64],
    members: &'b [u64],
    row: &'b mut [u64],
}

impl VectorWork for Spread<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self, detected: Option<Detected>) {
        let mut taken = 0;
        for (out, &mask) in self.row.iter_mut().zip(self.members) {
            let (word, shift) = (taken / 64, taken % 64);
            let low = self.words.get(word).map_or(0, |word| word >> shift);
            // Two shifts, because a shift by 64 is not allowed.
            let next = self.words.get(word + 1);
            let high = next.map_or(0, |word| word << 1 << (63 - shift));
            *out |= deposit(detected, low | high, mask);
            taken += mask.count_ones() as usize;
        }
    }
}

fn offsets(graph: &Graph, vertices: &[Vertex]) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut sum = 0;
    for &vertex in vertices {
        sum += graph.degree(vertex) as u32;
        offsets.push(sum);
    }
    offsets
}

impl BatchClass {
    fn exits_of(&self, place: usize) -> &[u32] {
        &self.exits[self.offsets[place] as usize..self.offsets[place + 1] as usize]
    }

    /// The starts that reach the vertex at `place`.
    fn arrived(&self, place: usize) -> Word {
        let arrivals = self.offsets[place] as usize..self.offsets[place + 1] as usize;
        self.words[arrivals]
            .iter()
            .fold([0; 4], |sum, word| join(sum, *word))
    }

    /// One step into the other class.
    #[inline(always)]
    fn advance(&self, next: &mut [Word]) {
        for bounds in self.offsets.windows(2) {
            let arrivals = bounds[0] as usize..bounds[1] as usize;
            let (words, exits) = (&self.words[arrivals.clone()], &self.exits[arrivals]);
            match (words, exits) {
                ([], _) => {}
                ([_], [exit]) => next[*exit as usize] = [0; 4],
                ([a, b], [to_a, to_b]) => {
                    next[*to_a as usize] = *b;
                    next[*to_b as usize] = *a;
                }
                ([a, b, c], [to_a, to_b, to_c]) => {
                    next[*to_a as usize] = join(*b, *c);
                    next[*to_b as usize] = join(*a, *c);
                    next[*to_c as usize] = join(*a, *b);
                }
                ([a, b, c, d], [to_a, to_b, to_c, to_d]) => {
                    let (ab, cd) = (join(*a, *b), join(*c, *d));
                    next[*to_a as usize] = join(*b, cd);
                    next[*to_b as usize] = join(*a, cd);
                    next[*to_c as usize] = join(ab, *d);
                    next[*to_d as usize] = join(ab, *c);
                }
                _ => {
                    let (mut once, mut twice) = ([0; 4], [0; 4]);
                    for word in words {
                        twice = join(twice, std::array::from_fn(|at| once[at] & word[at]));
                        once = join(once, *word);
                    }
                    for (word, &exit) in words.iter().zip(exits) {
                        next[exit as usize] =
                            std::array::from_fn(|at| twice[at] | once[at] & !word[at]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn join(one: Word, two: Word) -> Word {
    std::array::from_fn(|at| one[at] | two[at])
}

impl Solve<Reach> for Batch<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let question = &self.instance.question;
        let mut answer = Answer::empty(self.instance);
        let (steps, starts) = (question.steps, question.starts);
        if steps == 0 {
            for row in 0..self.instance.start_count() {
                let start = self.instance.start(row);
                if question.blocked.binary_search(&start).is_err() {
                    insert(answer.reachable.row_mut(row), start);
                }
            }
        } else {
            let classes = match starts {
                Starts::One(start) => {
                    let colour = usize::from(self.places[start as usize].0);
                    colour..colour + 1
                }
                Starts::All => 0..if self.bipartite { 2 } else { 1 },
            };
            self.arcs = 0;
            let mut colours = classes.into_iter();
            let in_time = colours.all(|colour| self.answer_class(colour, &mut answer, search));
            search.counters.add("arcs", self.arcs);
            if !in_time {
                return Attempt::nothing();
            }
        }
        with_route(self.instance, answer, search)
    }

    fn table_bytes(&self) -> u64 {
        let bytes = |class: &BatchClass| 4 * (class.exits.len() + class.offsets.len()) as u64;
        self.classes.iter().map(bytes).sum::<u64>() + 8 * self.places.len() as u64
    }
}
