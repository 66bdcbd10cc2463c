//! Writes the text of a certificate.

use std::fmt::Write as _;

use super::{HEADER, Label, PricedCut};
use crate::format;
use crate::puzzle::{Answer, Puzzle};

/// Writes a certificate node by node, parents before children.
pub struct Writer {
    text: String,
}

impl Writer {
    /// Begins the certificate of `answer` to `puzzle`; prices are scores times `scale`.
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

    /// Begins a child that differs from its parent by `label`.
    pub fn child(&mut self, label: &Label) {
        let _ = writeln!(self.text, "{label}");
    }

    /// Writes a leaf without a trail.
    pub fn infeasible(&mut self) {
        self.text.push_str("infeasible\n");
    }

    /// Writes a leaf with a price for each edge, and its cuts.
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

    /// Ends the certificate and returns its text.
    pub fn finish(mut self) -> String {
        self.text.push_str("end\n");
        self.text
    }
}
