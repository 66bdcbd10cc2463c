//! What a variant answers: the vertices reached, row by row, and a route if one was asked for.

use ikeru_core::choices;

use crate::graph::Vertex;
use crate::instance::Instance;

/// A set of vertices for every start, as rows of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexSets {
    vertices: usize,
    /// Row after row, the vertex of bit `b` in word `w` is `64·w + b`.
    words: Vec<u64>,
}

impl VertexSets {
    /// `rows` empty sets of up to `vertices` vertices.
    pub fn empty(rows: usize, vertices: usize) -> Self {
        Self {
            vertices,
            words: vec![0; rows * Self::row_words(vertices)],
        }
    }

    /// Words in a row.
    pub fn row_words(vertices: usize) -> usize {
        vertices.div_ceil(64)
    }

    /// How many vertices a set can hold.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// How many sets there are.
    pub fn rows(&self) -> usize {
        self.words.len() / Self::row_words(self.vertices)
    }

    /// The words of one set.
    pub fn row(&self, row: usize) -> &[u64] {
        let words = Self::row_words(self.vertices);
        &self.words[row * words..(row + 1) * words]
    }

    /// The words of one set, to write; bits from [`vertices`](Self::vertices) on stay 0.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        let words = Self::row_words(self.vertices);
        &mut self.words[row * words..(row + 1) * words]
    }

    /// Whether the set `row` holds `vertex`.
    pub fn contains(&self, row: usize, vertex: Vertex) -> bool {
        self.row(row)[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// The vertices of the set `row`, rising.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = Vertex> + '_ {
        self.row(row).iter().enumerate().flat_map(|(index, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    index as Vertex * 64 + bit
                })
            })
        })
    }

    /// How many vertices all sets hold together.
    pub fn count(&self) -> u64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        self.words.iter().map(ones).sum()
    }
}

/// Puts `vertex` into a row of bits.
#[inline]
pub fn insert(row: &mut [u64], vertex: Vertex) {
    row[vertex as usize / 64] |= 1 << (vertex % 64);
}

choices! {
    /// How a set that an answer claims lies to the true one.
    #[derive(Default)]
    pub enum Approximation {
        /// It is the true one.
        #[default]
        Exact = "exact",
        /// It holds true members only, and may miss some.
        Inner = "inner",
        /// It holds all members, and may hold others.
        Outer = "outer",
    }
}

impl Approximation {
    /// Whether an approximation of this kind may claim `claimed` of a vertex of which `truth` holds, wrongly.
    pub fn may_differ(self, claimed: bool, truth: bool) -> bool {
        match self {
            Self::Exact => false,
            Self::Inner => !claimed && truth,
            Self::Outer => claimed && !truth,
        }
    }
}

/// The vertices that can be reached in exactly the asked number of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// One set for every start.
    pub reachable: VertexSets,
    /// Those where the walk can end with the god on another player; `None` if nobody holds it, and
    /// the same as `reachable` then.
    pub with_god: Option<VertexSets>,
    /// How `with_god` lies to the true sets: only a rule of thumb gives anything but exact ones.
    pub god_free_is: Approximation,
    /// A route to the target, start first, if one was asked for and exists: one that ends with the
    /// god on another player where possible.
    pub route: Option<Vec<Vertex>>,
}

impl Answer {
    /// An answer to fill in: nothing reached yet.
    pub fn empty(instance: &Instance) -> Self {
        let sets = VertexSets::empty(instance.start_count(), instance.graph.vertices());
        Self {
            with_god: instance.question.holder().map(|_| sets.clone()),
            reachable: sets,
            god_free_is: Approximation::Exact,
            route: None,
        }
    }

    /// The vertices where the walk can end with the god on another player.
    pub fn god_free(&self) -> &VertexSets {
        self.with_god.as_ref().unwrap_or(&self.reachable)
    }
}
