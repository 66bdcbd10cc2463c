//! Answers: the reached vertices of every start, and a route if one was asked for.

use ikeru_core::choices;

use crate::graph::Vertex;
use crate::instance::Instance;

/// A set of vertices for every start, as rows of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexSets {
    vertices: usize,
    /// The rows one after another; bit `b` of word `w` of a row is vertex `64·w + b`.
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

    /// The number of words in a row.
    pub fn row_words(vertices: usize) -> usize {
        vertices.div_ceil(64)
    }

    /// The number of vertices that a set can hold.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The number of sets.
    pub fn rows(&self) -> usize {
        self.words.len() / Self::row_words(self.vertices)
    }

    /// The words of one set.
    pub fn row(&self, row: usize) -> &[u64] {
        let words = Self::row_words(self.vertices);
        &self.words[row * words..(row + 1) * words]
    }

    /// The words of one set, for writing; bits from [`vertices`](Self::vertices) on must stay 0.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        let words = Self::row_words(self.vertices);
        &mut self.words[row * words..(row + 1) * words]
    }

    /// Returns whether the set `row` contains `vertex`.
    pub fn contains(&self, row: usize, vertex: Vertex) -> bool {
        self.row(row)[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// The vertices of the set `row` in rising order.
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

    /// The total number of vertices in all sets.
    pub fn count(&self) -> u64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        self.words.iter().map(ones).sum()
    }
}

/// Adds `vertex` to a row of bits.
#[inline]
pub fn insert(row: &mut [u64], vertex: Vertex) {
    row[vertex as usize / 64] |= 1 << (vertex % 64);
}

choices! {
    /// The relation of a claimed set to the true set.
    #[derive(Default)]
    pub enum Approximation {
        /// It equals the true set.
        #[default]
        Exact = "exact",
        /// It is a subset of the true set.
        Inner = "inner",
        /// It is a superset of the true set.
        Outer = "outer",
    }
}

impl Approximation {
    /// Returns whether an approximation of this kind may wrongly claim `claimed` for a vertex if `truth` is true.
    pub fn may_differ(self, claimed: bool, truth: bool) -> bool {
        match self {
            Self::Exact => false,
            Self::Inner => !claimed && truth,
            Self::Outer => claimed && !truth,
        }
    }
}

/// The vertices that can be reached in exactly the number of steps of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// One set for every start.
    pub reachable: VertexSets,
    /// The vertices where the walk can end with the god on another player. `None` if no player holds the god; the set
    /// is then equal to `reachable`.
    pub with_god: Option<VertexSets>,
    /// The relation of the god-free sets to the true ones, and without the god of `reachable`; only the approximate rules
    /// give inexact sets.
    pub god_free_is: Approximation,
    /// A route to the target, start first, if one was asked for and exists. It ends with the god on another player if
    /// possible.
    pub route: Option<Vec<Vertex>>,
}

impl Answer {
    /// An answer without reached vertices, to be filled in.
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
