//! Templates to complete: whether a board completes one, for games and policies.

use std::sync::Arc;

use ikeru_chain::Board;

use super::Matcher;
use crate::templates::criterion::{Completion, Criterion};

/// Templates to complete, and when they count as completed.
#[derive(Clone)]
pub struct TemplateTarget {
    /// The templates.
    pub matcher: Arc<Matcher>,
    completion: Completion,
    /// No board with fewer stones completes a template.
    fewest: u32,
}

impl TemplateTarget {
    /// The templates of `matcher`, completed by `completion`.
    pub fn new(matcher: Arc<Matcher>, completion: Completion) -> Self {
        Self {
            fewest: matcher.fewest_stones(completion.after()),
            matcher,
            completion,
        }
    }

    /// When a template counts as completed after the chain of a board.
    pub fn criterion(&self) -> Criterion {
        self.completion.after()
    }

    /// A lower bound of the stones on every board that completes a template.
    pub fn fewest(&self) -> u32 {
        self.fewest
    }

    /// Whether `board` completes a template before its chain happens.
    pub fn is_met_before(&self, board: &Board) -> bool {
        let criterion = self.completion.before();
        criterion.is_some_and(|criterion| self.is_met(board, criterion))
    }

    /// Whether `board` completes a template after its chain.
    pub fn is_met_after(&self, board: &Board) -> bool {
        self.is_met(board, self.completion.after())
    }

    fn is_met(&self, board: &Board, criterion: Criterion) -> bool {
        board.stones() >= self.fewest && self.matcher.completed(board, criterion) != 0
    }
}
