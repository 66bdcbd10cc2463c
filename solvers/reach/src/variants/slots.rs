//! `slots`: any map of degree up to 4, with a word of four bytes for each vertex.
//!
//! A word has a byte for each of the four directions of arrival, and each byte has a bit for each holder of the god.
//! The union of the other three bytes (for all holders at once) leaves through a slot along its edge. Vertices are
//! sorted by degree, so that the number of exits is constant in each loop; dead ends are skipped, and on bipartite
//! maps a step handles only the vertices of one colour. Grids are taken too, but `bitboard` answers them 100 times as
//! fast.
//!
//! `prepare` sorts the vertices and resolves the edges; start, steps, players and god are used only when answering.

use ikeru_core::{OURS, Search, Variant};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin, refuse_degree_above};
use crate::Reach;
use crate::colouring::{Classes, from_and_to};
use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, Question};

pub const VARIANT: Variant<Reach> = Variant {
    name: "slots",
    about: "maps of degree up to 4 that are no grid: a word per vertex, four directions of arrival × four holders",
    source: OURS,
    exact: true,
    version: 2,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        refuse_degree_above(instance, MOST_DEGREE)?;
        Ok(PerStart::new(instance, Slots::new(instance)))
    },
};

/// The number of slots of a word.
pub const MOST_DEGREE: usize = 4;

struct Slots<'a> {
    instance: &'a Instance,
    classes: [SlotClass; 2],
    /// The place of each vertex: its class (the first, if each class is the whole map) and its index in the class.
    places: Vec<(u8, u32)>,
    bipartite: bool,
}

/// The vertices from which a step starts, sorted by degree.
struct SlotClass {
    vertices: Vec<Vertex>,
    /// The numbers of vertices of degree 0, 1, 2, 3 and 4.
    by_degree: [usize; 5],
    /// For every exit of every vertex, the index of the byte in the words of the other class at which it arrives.
    exits: Vec<u32>,
    /// The words: bytes by direction of arrival.
    words: Vec<[u8; 4]>,
}

impl<'a> Slots<'a> {
    fn new(instance: &'a Instance) -> Self {
        let graph = &*instance.graph;
        let mut colouring = Classes::of(graph);
        let bipartite = colouring.bipartite;
        for class in &mut colouring.vertices {
            class.sort_by_key(|&vertex| graph.degree(vertex));
        }
        let places = colouring.places(graph.vertices());
        let reverse = graph.reverse_arcs();
        let classes = colouring
            .vertices
            .map(|vertices| SlotClass::new(graph, &reverse, vertices, &places));
        Self {
            instance,
            classes,
            places,
            bipartite,
        }
    }

    /// Makes the first step, in any direction.
    fn leave(&mut self, colour: usize, start: Vertex, holder: usize) {
        for class in &mut self.classes {
            class.words.fill([0; 4]);
        }
        let place = self.places[start as usize].1 as usize;
        let (from, to) = from_and_to(&mut self.classes, colour);
        for &exit in from.exits_of(place) {
            to.words.as_flattened_mut()[exit as usize] = 1 << holder;
        }
    }

    /// Applies the handover rule to walks that have just met players.
    fn hand_over(&mut self, colour: usize, meetings: &[SlotMeeting]) {
        for meeting in meetings {
            if !self.bipartite || usize::from(meeting.colour) == colour {
                let word = &mut self.classes[colour].words[meeting.place];
                *word = word.map(|holders| meeting.after[usize::from(holders)]);
            }
        }
    }
}

impl SlotClass {
    fn new(graph: &Graph, reverse: &[u32], vertices: Vec<Vertex>, places: &[(u8, u32)]) -> Self {
        let mut by_degree = [0; 5];
        let mut exits = Vec::new();
        for &vertex in &vertices {
            by_degree[graph.degree(vertex)] += 1;
            for arc in graph.arcs(vertex) {
                let head = graph.head(arc);
                let slot = reverse[arc] as usize - graph.arcs(head).start;
                exits.push(4 * places[head as usize].1 + slot as u32);
            }
        }
        Self {
            words: vec![[0; 4]; vertices.len()],
            vertices,
            by_degree,
            exits,
        }
    }

    /// The exits of the vertex at `place`.
    fn exits_of(&self, place: usize) -> &[u32] {
        let (mut first, mut skipped) = (0, 0);
        for (degree, &count) in self.by_degree.iter().enumerate() {
            if place < first + count {
                let at = skipped + (place - first) * degree;
                return &self.exits[at..at + degree];
            }
            first += count;
            skipped += count * degree;
        }
        &[]
    }

    /// Makes one step into the other class.
    // PERF: without the attribute, inlining depends on the compiler; `slots` takes 1.2 times as long if it is not
    // inlined (`ab` on `ikerukana-table`).
    #[inline(always)]
    fn advance(&self, next: &mut [[u8; 4]]) {
        let [zero, one, two, three, four] = self.by_degree;
        let next = next.as_flattened_mut();
        // A walk that enters a dead end never leaves it.
        let (words, exits) = (&self.words[zero + one..], &self.exits[one..]);
        let (words, exits) = fan_out::<2>(words, exits, two, next);
        let (words, exits) = fan_out::<3>(words, exits, three, next);
        fan_out::<4>(words, exits, four, next);
    }
}

/// Sends the walks of `count` vertices of one degree through their exits, and returns the rest of both slices.
#[inline(always)]
fn fan_out<'w, const DEGREE: usize>(
    words: &'w [[u8; 4]],
    exits: &'w [u32],
    count: usize,
    next: &mut [u8],
) -> (&'w [[u8; 4]], &'w [u32]) {
    let (words, other_words) = words.split_at(count);
    let (exits, other_exits) = exits.split_at(count * DEGREE);
    let (exits, _) = exits.as_chunks::<DEGREE>();
    for (word, exits) in words.iter().zip(exits) {
        for slot in 0..DEGREE {
            let others = (1..DEGREE).map(|further| word[(slot + further) % DEGREE]);
            next[exits[slot] as usize] = others.fold(0, |leaving, other| leaving | other);
        }
    }
    (other_words, other_exits)
}

/// A vertex with players, and the holders after entering it for each set of holders before.
struct SlotMeeting {
    colour: u8,
    place: usize,
    after: [u8; 16],
}

fn meetings(places: &[(u8, u32)], question: &Question) -> Vec<SlotMeeting> {
    let mut vertices = question.others.clone();
    vertices.sort_unstable();
    vertices.dedup();
    let meeting = |vertex: Vertex| {
        let (colour, place) = places[vertex as usize];
        let holders = question.holders();
        let after = std::array::from_fn(|set| {
            let present = (0..holders).filter(|holder| set >> holder & 1 == 1);
            present.fold(0, |after, holder| {
                after | 1 << question.handed_over(vertex, holder)
            })
        });
        SlotMeeting {
            colour,
            place: place as usize,
            after,
        }
    };
    vertices.into_iter().map(meeting).collect()
}

impl StartKernel for Slots<'_> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let question = &self.instance.question;
        if question.steps == 0 {
            super::stand_still(question, start, sets);
            return Ok(());
        }
        let meetings = match question.holder() {
            Some(_) => meetings(&self.places, question),
            None => Vec::new(),
        };
        let mut colour = usize::from(self.places[start as usize].0);
        self.leave(colour, start, question.holder().unwrap_or(0));
        colour ^= 1;
        self.hand_over(colour, &meetings);
        // Reading the clock costs as much as about a hundred words.
        let mut ticker = search
            .deadline
            .ticker(1 + 100_000 / (self.places.len() as u32 + 1));
        let (mut done, mut arcs) = (1, 0);
        while done < question.steps && !ticker.passed() {
            let (from, to) = from_and_to(&mut self.classes, colour);
            from.advance(&mut to.words);
            arcs += from.exits.len() - from.by_degree[1];
            if done == 1 {
                // The start may be a dead end, whose words no later step replaces.
                from.words.fill([0; 4]);
            }
            colour ^= 1;
            self.hand_over(colour, &meetings);
            done += 1;
        }
        search.counters.add("arcs", arcs as u64);
        if done < question.steps {
            return Err(TimeIsUp);
        }
        let class = &self.classes[colour];
        for (&vertex, word) in class.vertices.iter().zip(&class.words) {
            let holders = word[0] | word[1] | word[2] | word[3];
            if holders != 0 {
                sets.add(vertex, holders & !1 != 0);
            }
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        let exits: usize = self.classes.iter().map(|class| class.exits.len()).sum();
        4 * exits as u64 + 8 * self.places.len() as u64
    }
}
