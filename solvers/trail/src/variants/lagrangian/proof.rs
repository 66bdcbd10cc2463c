//! Writes the certificate of a finished search from the records of its nodes.

use super::cuts::ConnectivityCut;
use super::model::{BranchDecision, Model};
use super::node::Node;
use super::record::{Prices, Records};
use crate::certificate::verify::LONGEST_LINE;
use crate::certificate::write::Writer;
use crate::certificate::{self, Label};
use crate::puzzle::{self, Answer};
use crate::tjoin::grid::Edge;

/// The certificate of a finished search with `answer`; `None` if `records` lacks a node that it needs, or if the board is
/// too wide for a check.
pub fn certificate(model: &Model, records: &Records, answer: &Answer) -> Option<String> {
    let board = model.puzzle.board();
    if board.width().min(board.height()) > LONGEST_LINE {
        return None;
    }
    let from_ceiling = answer.as_ref().map(|trail| trail.score) == Some(model.puzzle.ceiling());
    let mut tree = Tree {
        model,
        records,
        writer: Writer::new(model.puzzle, answer, model.scale),
        fathomed: answer.as_ref().map(|trail| trail.score),
        from_ceiling,
    };
    tree.node(&Node::root(model))?;
    Some(tree.writer.finish())
}

struct Tree<'a> {
    model: &'a Model<'a>,
    records: &'a Records,
    writer: Writer,
    /// The score of the answer, which fathoms nodes.
    fathomed: Option<i64>,
    /// True if this score equals the ceiling of the board: then the root is a leaf at any prices.
    from_ceiling: bool,
}

impl Tree<'_> {
    fn node(&mut self, node: &Node<i32>) -> Option<()> {
        let record = self.records.get(&node.decisions)?;
        if record.infeasible {
            self.writer.infeasible();
            return Some(());
        }
        let bound = self.model.score(record.prices.bound);
        if self
            .fathomed
            .is_some_and(|score| bound <= score || self.from_ceiling)
        {
            self.leaf(&record.prices);
            return Some(());
        }
        let children = node.children(record.branch.as_ref());
        let labels = children.iter().map(|child| self.label(node, child));
        let mut labelled: Vec<(Label, &Node<i32>)> = labels
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .zip(&children)
            .collect();
        labelled.sort_by_key(|(label, _)| match label {
            Label::Step(edge, forward) => (*edge, !forward),
            _ => (0, false),
        });
        if labelled.is_empty() {
            return None;
        }
        for (label, child) in labelled {
            self.writer.child(&label);
            self.node(child)?;
        }
        Some(())
    }

    fn leaf(&mut self, prices: &Prices) {
        let mut by_number = vec![0; prices.coupling.len()];
        for (edge, price) in (0..).zip(&prices.coupling) {
            by_number[self.number(edge)] = *price;
        }
        let cut = |cut: &ConnectivityCut| certificate::PricedCut {
            segment: usize::from(cut.segment),
            price: cut.multiplier as i64,
            edge: cut.edge.map(|edge| self.number(edge)),
            boundary: self.numbers(&cut.boundary),
        };
        let cuts: Vec<certificate::PricedCut> = prices.cuts.iter().map(cut).collect();
        self.writer.leaf(&by_number, &cuts);
    }

    /// The decision by which `child` differs from `node`.
    fn label(&self, node: &Node<i32>, child: &Node<i32>) -> Option<Label> {
        let (before, after) = (&node.decisions, &child.decisions);
        let edge_of = |factor: u8| self.number(self.model.grid.factors[usize::from(factor)].edge);
        if let Some(fixed) = after.fixed.get(before.fixed.len()) {
            let segment = usize::from(fixed.segment);
            return Some(match &fixed.decision {
                BranchDecision::Edge(edge) => {
                    Label::Edge(segment, self.number(*edge), fixed.passes)
                }
                BranchDecision::Boundary(boundary) => {
                    Label::Boundary(segment, self.numbers(boundary), fixed.passes)
                }
            });
        }
        if let Some(step) = after.sequence.get(before.sequence.len()) {
            let (from, to) = step.ends(&self.model.grid);
            let number = |vertex| self.model.grid.board_vertex(self.model.puzzle, vertex);
            return Some(Label::Step(edge_of(step.factor), number(from) < number(to)));
        }
        let decided = before.undecided & !after.undecided;
        (decided != 0).then(|| {
            let factor = decided.trailing_zeros() as u8;
            Label::Used(edge_of(factor), after.coming != before.coming)
        })
    }

    /// The board's number of an edge.
    fn number(&self, edge: Edge) -> puzzle::Edge {
        let (from, to) = self.model.grid.ends[usize::from(edge)];
        let vertex = |vertex| self.model.grid.board_vertex(self.model.puzzle, vertex);
        let number = self
            .model
            .puzzle
            .board()
            .edge_between(vertex(from), vertex(to));
        number.unwrap_or_default()
    }

    fn numbers(&self, edges: &[Edge]) -> Vec<puzzle::Edge> {
        let mut numbers: Vec<_> = edges.iter().map(|edge| self.number(*edge)).collect();
        numbers.sort_unstable();
        numbers
    }
}
