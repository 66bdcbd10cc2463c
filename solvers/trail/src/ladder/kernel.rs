//! The depth-first search: one recursion, whose [`prunings`](super::prunings) are switched at compile time by the
//! [`Rules`].

use std::collections::VecDeque;

use ikeru_core::{Deadline, Incumbent, Score};

use crate::puzzle::{Trail, Vertex};

use super::edge_set::EdgeSet;
use super::graph::{MoveGraph, MoveNode};
use super::prunings::{BoundRule, Moves, Prunings, is_dead_end, is_last_visit};

/// The prunings of a variant, and the memory that they need.
pub trait Rules: 'static {
    /// The prunings.
    const PRUNINGS: Prunings;
    /// The memory of nodes met; `()` if there is none.
    type Memory<S: EdgeSet>: Memory<S>;
}

/// The memory of the nodes that a search has met.
pub trait Memory<S: EdgeSet>: Send {
    /// A memory for boards of `edges` edges.
    fn new(edges: usize) -> Self;
    /// Called before every search.
    fn begin(&mut self) {}
    /// Returns whether a node with the same passed edges, hence the same vertex, and no smaller score is known;
    /// stores this node if not.
    fn dominated(&mut self, passed: &S, score: Score) -> bool;
    /// Bytes of the memory.
    fn bytes(&self) -> u64;
}

impl<S: EdgeSet> Memory<S> for () {
    fn new(_: usize) {}
    #[inline]
    fn dominated(&mut self, _: &S, _: Score) -> bool {
        false
    }
    fn bytes(&self) -> u64 {
        0
    }
}

/// The root of a subproblem, with the trail that leads to it.
#[derive(Debug, Clone)]
pub struct SearchRoot<S: EdgeSet> {
    /// The root.
    pub node: MoveNode<'static, S>,
    /// The vertices of the trail so far, the root's vertex included.
    pub vertices: Vec<Vertex>,
}

/// The result and the counters of a search.
#[derive(Debug, Default)]
pub struct SearchTally {
    /// The best trail that this search found itself.
    pub best: Option<Trail>,
    /// An upper bound on the trails that were not searched; `None` if the search is complete.
    pub open_bound: Option<Score>,
    counts: [u64; COUNTERS.len()],
    /// The counters that its search counts, even if they are 0.
    is_counted: [bool; COUNTERS.len()],
}

/// The names of the counters, by index.
const COUNTERS: [&str; 6] = [
    "nodes",
    "cuts_corner",
    "cuts_deadend",
    "cuts_bound",
    "cuts_dominance",
    "goal_tests",
];
const NODES: usize = 0;
const CUTS_CORNER: usize = 1;
const CUTS_DEADEND: usize = 2;
const CUTS_BOUND: usize = 3;
const CUTS_DOMINANCE: usize = 4;
/// Counted only if it differs from the number of nodes.
const GOAL_TESTS: usize = 5;

impl SearchTally {
    /// The counters that its search counts, by name.
    pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counted = COUNTERS.into_iter().zip(self.counts).zip(self.is_counted);
        counted.filter_map(|(counter, is_counted)| is_counted.then_some(counter))
    }

    /// Merges two searches into one.
    pub fn merge(self, other: Self) -> Self {
        let score = |best: &Option<Trail>| best.as_ref().map(|trail| trail.score);
        let better = score(&other.best) > score(&self.best);
        Self {
            best: if better { other.best } else { self.best },
            open_bound: self.open_bound.max(other.open_bound),
            counts: std::array::from_fn(|at| self.counts[at] + other.counts[at]),
            is_counted: std::array::from_fn(|at| self.is_counted[at] | other.is_counted[at]),
        }
    }
}

/// Nodes between two checks of the deadline: about 0.1 ms.
const CHUNK: u32 = 1 << 14;

/// A running search.
pub struct Kernel<'s, S: EdgeSet, R: Rules> {
    memory: &'s mut R::Memory<S>,
    /// The score that prunes.
    incumbent: &'s Incumbent,
    course: Course<'s, S>,
}

/// The part of the search that is the same for all rules.
struct Course<'s, S: EdgeSet> {
    graph: &'s MoveGraph<S>,
    /// Receives every improvement, for observers of the run; often the incumbent itself.
    watched: &'s Incumbent,
    deadline: Deadline<'s>,
    /// Nodes left of the current chunk; the tally counts each chunk whole when it begins.
    left: u32,
    /// The vertices of the trail up to the root, the root's vertex included.
    prefix: Vec<Vertex>,
    tally: SearchTally,
}

/// A function of the recursion: the constant says whether it tests for the goal, the type which function it calls.
trait FunctionColour {
    const GOAL: bool;
    type Next: FunctionColour;
}
/// The only function, if there are no colours: it tests for the goal and calls itself.
struct Any;
/// The function for the goal's colour: it tests for the goal and calls the other one.
struct GoalColour;
/// The function for the other colour: it does not test for the goal.
struct OtherColour;
impl FunctionColour for Any {
    const GOAL: bool = true;
    type Next = Self;
}
impl FunctionColour for GoalColour {
    const GOAL: bool = true;
    type Next = OtherColour;
}
impl FunctionColour for OtherColour {
    const GOAL: bool = false;
    type Next = GoalColour;
}

impl<'s, S: EdgeSet, R: Rules> Kernel<'s, S, R> {
    const PAIRS: bool = matches!(R::PRUNINGS.moves, Moves::Pairs);
    const MUTUAL: bool = matches!(R::PRUNINGS.moves, Moves::Mutual);
    const BOUND: bool = !matches!(R::PRUNINGS.bound, BoundRule::Never);
    const RUNNING: bool = matches!(R::PRUNINGS.bound, BoundRule::Running);

    /// A search that prunes with `incumbent` and reports improvements to `watched`.
    pub fn new(
        graph: &'s MoveGraph<S>,
        memory: &'s mut R::Memory<S>,
        incumbent: &'s Incumbent,
        watched: &'s Incumbent,
        deadline: Deadline<'s>,
    ) -> Self {
        let course = Course {
            graph,
            watched,
            deadline,
            left: 1,
            prefix: Vec::new(),
            tally: SearchTally::default(),
        };
        Self {
            memory,
            incumbent,
            course,
        }
    }

    /// Searches everything below `root`; `prefix` is the trail to the root.
    pub fn run(&mut self, root: &MoveNode<S>, prefix: &[Vertex]) {
        self.lead(prefix);
        // Conditions of the compiler, so that no search is compiled whose rules never call it.
        match self.course.graph.even {
            // One edge to a vertex of the goal's colour, then two edges at a time.
            false if Self::PAIRS => self.first_edge(root),
            true if Self::MUTUAL => self.visit::<GoalColour>(root),
            _ if Self::MUTUAL => self.visit::<OtherColour>(root),
            _ => self.visit::<Any>(root),
        }
    }

    /// Splits the search below `root` breadth first into at least `count` subproblems, or fewer if there are no more.
    /// The nodes above the subproblems are searched here.
    pub fn split(&mut self, root: SearchRoot<S>, count: usize) -> VecDeque<SearchRoot<S>> {
        let mut queue = VecDeque::new();
        let first_edge = Self::PAIRS && !self.course.graph.even;
        if first_edge {
            self.expand::<OtherColour, false>(&root, &mut queue);
        } else {
            queue.push_back(root);
        }
        while queue.len() < count {
            let Some(next) = queue.pop_front() else {
                break;
            };
            self.expand_any(&next, &mut queue);
        }
        queue
    }

    /// The children of a subproblem of [`split`](Self::split); the node of the subproblem itself is searched here.
    pub fn children(&mut self, subproblem: &SearchRoot<S>) -> VecDeque<SearchRoot<S>> {
        let mut queue = VecDeque::new();
        self.expand_any(subproblem, &mut queue);
        queue
    }

    fn expand_any(&mut self, from: &SearchRoot<S>, queue: &mut VecDeque<SearchRoot<S>>) {
        if Self::PAIRS {
            self.expand::<Any, true>(from, queue);
        } else {
            self.expand::<Any, false>(from, queue);
        }
    }

    /// Searches everything below a subproblem of [`split`](Self::split).
    pub fn run_subproblem(&mut self, subproblem: &SearchRoot<S>) {
        self.lead(&subproblem.vertices);
        self.visit::<Any>(&subproblem.node);
    }

    fn expand<C: FunctionColour, const PAIRS: bool>(
        &mut self,
        from: &SearchRoot<S>,
        queue: &mut VecDeque<SearchRoot<S>>,
    ) {
        self.lead(&from.vertices);
        if self.enter::<C>(&from.node) {
            self.each_child::<PAIRS>(&from.node, |_, child| {
                let mut vertices = from.vertices.clone();
                let middle = child.came.and_then(|(_, step)| step.middle);
                vertices.extend(middle.into_iter().chain([child.vertex]));
                let node = MoveNode {
                    vertex: child.vertex,
                    score: child.score,
                    passed: child.passed.clone(),
                    free: child.free,
                    came: None,
                };
                queue.push_back(SearchRoot { node, vertices });
            });
        }
    }

    fn lead(&mut self, prefix: &[Vertex]) {
        self.course.prefix.clear();
        self.course.prefix.extend_from_slice(prefix);
    }

    /// Ends the search and returns its result and counters.
    pub fn finish(mut self) -> SearchTally {
        // The current chunk was counted whole.
        self.course.tally.counts[NODES] -= u64::from(self.course.left - 1);
        let Prunings {
            corner, deadend, ..
        } = R::PRUNINGS;
        let remembers = size_of::<R::Memory<S>>() > 0;
        self.course.tally.is_counted =
            [true, corner, deadend, Self::BOUND, remembers, Self::MUTUAL];
        self.course.tally
    }

    fn first_edge(&mut self, root: &MoveNode<S>) {
        if self.enter::<OtherColour>(root) {
            self.each_child::<false>(root, Self::visit::<Any>);
        }
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "a closure is inlined, the method's name is called"
    )]
    #[inline(always)]
    fn visit<C: FunctionColour>(&mut self, node: &MoveNode<S>) {
        if !self.enter::<C>(node) {
            return;
        }
        if Self::PAIRS {
            self.each_child::<true>(node, |kernel, child| kernel.visit::<C::Next>(child));
        } else {
            self.each_child::<false>(node, |kernel, child| kernel.visit::<C::Next>(child));
        }
    }

    /// Counts the node, reports its score if it is at the goal, and returns whether to search its children.
    #[inline(always)]
    fn enter<C: FunctionColour>(&mut self, node: &MoveNode<S>) -> bool {
        self.course.left -= 1;
        if self.course.left == 0 && self.course.pause(node) {
            return false;
        }
        if Self::MUTUAL && C::GOAL {
            self.course.tally.counts[GOAL_TESTS] += 1;
        }
        if C::GOAL && node.vertex == self.course.graph.goal {
            // Compared before it is raised: an atomic read-modify-write at every goal would cost more.
            if node.score > self.incumbent.get() && self.incumbent.improve(node.score) {
                self.course.record(node);
            }
            if R::PRUNINGS.corner && is_last_visit(&node.passed, self.course.graph.goal_edges) {
                self.course.tally.counts[CUTS_CORNER] += 1;
                return false;
            }
        }
        if Self::BOUND && node.free.bound(node.score) <= self.incumbent.get() {
            self.course.tally.counts[CUTS_BOUND] += 1;
            return false;
        }
        if self.memory.dominated(&node.passed, node.score) {
            self.course.tally.counts[CUTS_DOMINANCE] += 1;
            return false;
        }
        true
    }

    // PERF: this is the recursive function, so that a pruned node costs no call: `dominance` takes 0.94 of the
    // instructions.
    #[inline(never)]
    fn each_child<const PAIRS: bool>(
        &mut self,
        node: &MoveNode<S>,
        mut visit: impl FnMut(&mut Self, &MoveNode<S>),
    ) {
        let graph = self.course.graph;
        for step in graph.moves::<PAIRS>(node.vertex) {
            if node.passed.meets(step.edges) {
                continue;
            }
            let passed = node.passed.with(step.edges);
            if R::PRUNINGS.deadend && is_dead_end(&passed, step.exits) {
                self.course.tally.counts[CUTS_DEADEND] += 1;
                continue;
            }
            let mut free = node.free;
            if Self::RUNNING {
                free.gain -= step.gain;
                if step.scales {
                    free = graph.with_factors(free.gain, &passed);
                }
            }
            let child = MoveNode {
                vertex: step.to,
                score: step.factor * node.score + step.addend,
                passed,
                free,
                came: Some((node, step)),
            };
            visit(self, &child);
        }
    }
}

impl<S: EdgeSet> Course<'_, S> {
    /// Checks the deadline between two chunks. Once it has passed, every node that the search still meets while it
    /// unwinds is open, and its bound is kept. On large boards the bound of the whole board is kept instead, because
    /// there are thousands of open nodes, each with thousands of edges. Returns true if the search stops.
    #[cold]
    #[inline(never)]
    fn pause(&mut self, node: &MoveNode<S>) -> bool {
        if self.tally.open_bound.is_none() && !self.deadline.passed() {
            self.left = self.deadline.every(CHUNK);
            self.tally.counts[NODES] += u64::from(self.left);
            return false;
        }
        self.left = 1;
        let bound = if self.graph.large {
            self.graph.ceiling
        } else {
            self.graph.free(&node.passed).bound(node.score)
        };
        self.tally.open_bound = self.tally.open_bound.max(Some(bound));
        true
    }

    #[cold]
    #[inline(never)]
    fn record(&mut self, node: &MoveNode<S>) {
        self.watched.improve(node.score);
        let mut vertices = Vec::new();
        let mut at = node;
        while let Some((before, step)) = at.came {
            vertices.push(step.to);
            vertices.extend(step.middle);
            at = before;
        }
        vertices.extend(self.prefix.iter().rev());
        vertices.reverse();
        let trail = Trail {
            vertices,
            score: node.score,
        };
        // A private incumbent is reset before every subproblem.
        if self
            .tally
            .best
            .as_ref()
            .is_none_or(|best| best.score < trail.score)
        {
            self.tally.best = Some(trail);
        }
    }
}
