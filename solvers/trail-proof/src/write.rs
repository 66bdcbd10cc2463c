//! Writes the certificate of a finished search from the records of its nodes, parents before children.

use std::collections::HashMap;
use std::fmt::{Display, Write};

use ikeru_trail::puzzle::{self, Answer, Puzzle};
use ikeru_trail::tjoin::grid::Edge;
use ikeru_trail::variants::lagrangian::model::{BranchDecision, Decisions, Model};
use ikeru_trail::variants::lagrangian::node::Node;
use ikeru_trail::variants::lagrangian::record::NodeRecord;

use crate::verify::LONGEST_LINE;
use crate::{HEADER, Label};

/// The certificate of a finished search with `answer`; `None` if `nodes` lacks a node that it needs, or if the board is
/// too wide for a check.
pub fn certificate(
    puzzle: &Puzzle,
    nodes: &HashMap<Decisions, NodeRecord>,
    answer: &Answer,
) -> Option<String> {
    let model = Model::new::<i32>(puzzle).or_else(|| Model::new::<i64>(puzzle))?;
    let board = puzzle.board();
    if board.width().min(board.height()) > LONGEST_LINE {
        return None;
    }
    let mut tree = Tree {
        model: &model,
        nodes,
        text: format!("{HEADER}\n{}", ikeru_trail::format::write(puzzle)),
        score: answer.as_ref().map(|trail| trail.score),
    };
    match answer {
        None => tree.line("trail none", &[0; 0]),
        Some(trail) => {
            tree.line("trail", &trail.vertices);
            tree.line("score", &[trail.score]);
        }
    }
    tree.line("scale", &[model.scale]);
    tree.node(&Node::root(&model))?;
    tree.text.push_str("end\n");
    Some(tree.text)
}

struct Tree<'a> {
    model: &'a Model<'a>,
    nodes: &'a HashMap<Decisions, NodeRecord>,
    text: String,
    /// The score of the answer, which fathoms nodes.
    score: Option<i64>,
}

impl Tree<'_> {
    /// Writes a line of words and numbers.
    fn line(&mut self, words: &str, numbers: &[impl Display]) {
        self.text.push_str(words);
        for number in numbers {
            let _ = write!(self.text, " {number}");
        }
        self.text.push('\n');
    }

    fn node(&mut self, node: &Node<i32>) -> Option<()> {
        let record = self.nodes.get(&node.decisions)?;
        if record.infeasible {
            self.text.push_str("infeasible\n");
            return Some(());
        }
        let bound = record.bound.map(|bound| self.model.score(bound));
        // If the answer has the ceiling of the board, the root is a leaf at any prices.
        let bound = bound.map(|bound| bound.min(self.model.puzzle.ceiling()));
        if bound.is_some_and(|bound| self.score.is_some_and(|score| bound <= score)) {
            self.leaf(record);
            return Some(());
        }
        let children = node.children(record.branch.as_ref());
        let labels = children.iter().map(|child| self.labels(node, child));
        let mut labelled: Vec<_> = labels.zip(&children).collect();
        labelled.sort_by_key(|(labels, _)| match labels.first() {
            Some(Label::Step(edge)) => *edge,
            _ => 0,
        });
        if labelled.is_empty() {
            return None;
        }
        for (labels, child) in labelled {
            for label in labels {
                let _ = writeln!(self.text, "{label}");
            }
            self.node(child)?;
        }
        Some(())
    }

    /// Writes a leaf with a price for each edge, and its cuts.
    fn leaf(&mut self, record: &NodeRecord) {
        let mut by_number = vec![0; record.prices.len()];
        for (edge, price) in (0..).zip(&record.prices) {
            by_number[self.number(edge)] = *price;
        }
        self.line("leaf", &by_number);
        for cut in &record.cuts {
            let edge = cut.edge.map(|edge| self.number(edge).to_string());
            let edge = edge.as_deref().unwrap_or("crosses");
            let words = format!("cut {} {} {edge}", cut.segment, cut.multiplier as i64);
            self.line(&words, &self.numbers(&cut.boundary));
        }
    }

    /// The decisions by which `child` differs from `node`: one, or the last two steps, of which the second has no alternative.
    fn labels(&self, node: &Node<i32>, child: &Node<i32>) -> Vec<Label> {
        let (before, after) = (&node.decisions, &child.decisions);
        let edge_of = |factor: u8| self.number(self.model.grid.factors[usize::from(factor)].edge);
        if let Some(fixed) = after.fixed.get(before.fixed.len()) {
            let segment = usize::from(fixed.segment);
            return vec![match &fixed.decision {
                BranchDecision::Edge(edge) => {
                    Label::Edge(segment, self.number(*edge), fixed.passes)
                }
                BranchDecision::Boundary(boundary) => {
                    Label::Boundary(segment, self.numbers(boundary), fixed.passes)
                }
                BranchDecision::Direction => Label::Direction(segment, fixed.passes),
            }];
        }
        let decided = before.undecided & !after.undecided;
        if decided != 0 {
            let factor = decided.trailing_zeros() as u8;
            return vec![Label::Used(edge_of(factor), after.coming != before.coming)];
        }
        let steps = after.sequence.iter().skip(before.sequence.len());
        steps.map(|factor| Label::Step(edge_of(*factor))).collect()
    }

    /// The board's number of an edge.
    fn number(&self, edge: Edge) -> puzzle::Edge {
        let (from, to) = self.model.grid.ends[usize::from(edge)];
        let vertex = |vertex| self.model.grid.board_vertex(self.model.puzzle, vertex);
        let board = self.model.puzzle.board();
        let number = board.edge_between(vertex(from), vertex(to));
        number.unwrap_or_default()
    }

    fn numbers(&self, edges: &[Edge]) -> Vec<puzzle::Edge> {
        let mut numbers: Vec<_> = edges.iter().map(|edge| self.number(*edge)).collect();
        numbers.sort_unstable();
        numbers
    }
}
