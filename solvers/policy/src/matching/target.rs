//! Templates to complete, for games and policies: the test whether a board completes one of them.

use std::sync::Arc;

use ikeru_chain::Board;

use super::matcher::Matcher;
use crate::templates::criterion::{Completion, Criterion};

/// Templates to complete, and the conditions under which they count as completed.
#[derive(Clone)]
pub struct TemplateTarget {
    /// The templates.
    pub matcher: Arc<Matcher>,
    /// The same templates with the weights by which leaves are compared.
    pub leaves: Arc<Matcher>,
    completion: Completion,
    /// A lower bound on the stones of every board that completes a template.
    fewest: u32,
}

impl TemplateTarget {
    /// The templates of `matcher`, with the conditions of `completion`.
    pub fn new(matcher: Arc<Matcher>, completion: Completion) -> Self {
        Self {
            fewest: matcher.fewest_stones(completion.after()),
            leaves: Arc::clone(&matcher),
            matcher,
            completion,
        }
    }

    /// The same templates and conditions; a policy compares leaves by the weights of `leaves`.
    #[must_use]
    pub fn with_leaves(self, leaves: Arc<Matcher>) -> Self {
        Self { leaves, ..self }
    }

    /// The condition on a board after its chain.
    pub fn criterion(&self) -> Criterion {
        self.completion.after()
    }

    /// A lower bound on the stones of every board that completes a template.
    pub fn fewest(&self) -> u32 {
        self.fewest
    }

    /// Returns whether `board` completes a template before its chain happens.
    pub fn is_met_before(&self, board: &Board) -> bool {
        let criterion = self.completion.before();
        criterion.is_some_and(|criterion| self.is_met(board, criterion))
    }

    /// Returns whether `board`, the board after a chain, completes a template.
    pub fn is_met_after(&self, board: &Board) -> bool {
        self.is_met(board, self.completion.after())
    }

    fn is_met(&self, board: &Board, criterion: Criterion) -> bool {
        board.stones() >= self.fewest && self.matcher.completed(board, criterion) != 0
    }
}
