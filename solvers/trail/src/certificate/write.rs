//! The text of a certificate.

use std::fmt::Write as _;

use super::{HEADER, Label, PricedCut};
use crate::format;
use crate::puzzle::{Answer, Puzzle};

/// A certificate that is being written, node after node, parents before children.
pub struct Writer {
    text: String,
}

impl Writer {
    /// Of `answer` to `puzzle`; prices are scores times `scale`.
    pub fn new(puzzle: &Puzzle, answer: &Answer, scale: i64) -> Self {
        let mut text = format!("{HEADER}\n{}", format::write(puzzle));
        match answer {
            None => text.push_str("trail none\n"),
            Some(trail) => {
                text.push_str("trail");
                for vertex in &trail.vertices {
                    let _ = write!(text, " {vertex}");
                }
                let _ = writeln!(text, "\nscore {}", trail.score);
            }
        }
        let _ = writeln!(text, "scale {scale}");
        Self { text }
    }

    /// Begins the child of the node above that differs so.
    pub fn child(&mut self, label: &Label) {
        let _ = writeln!(self.text, "{label}");
    }

    /// A leaf without a trail.
    pub fn infeasible(&mut self) {
        self.text.push_str("infeasible\n");
    }

    /// A leaf with a price for each edge, and cuts.
    pub fn leaf(&mut self, prices: &[i64], cuts: &[PricedCut]) {
        self.text.push_str("leaf");
        for price in prices {
            let _ = write!(self.text, " {price}");
        }
        self.text.push('\n');
        for cut in cuts {
            let _ = write!(self.text, "cut {} {} ", cut.segment, cut.price);
            let _ = match cut.edge {
                Some(edge) => write!(self.text, "{edge}"),
                None => write!(self.text, "crosses"),
            };
            for edge in &cut.boundary {
                let _ = write!(self.text, " {edge}");
            }
            self.text.push('\n');
        }
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        self.text.push_str("end\n");
        self.text
    }
}
