//! Templates, then potential maximization (thesis 6.2): a folded chain of eight first, then as far
//! as it grows.

use super::potential::Potential;
use super::template::TemplatePolicy;
use super::{Decision, Policy, View, Work};
use crate::matching::Matcher;
use crate::templates::criterion::Criterion;
use std::sync::Arc;

/// When to leave the templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchRules {
    /// What a template must show.
    pub built: Criterion,
    /// Give templates up at this move.
    pub give_up: usize,
    /// Give them up when none is left and at least so many stones stand.
    pub hopeless: u32,
}

impl Default for SwitchRules {
    fn default() -> Self {
        Self {
            built: Criterion::Missing(1),
            give_up: 34,
            hopeless: 24,
        }
    }
}

/// The policy.
pub struct Combined {
    matcher: Arc<Matcher>,
    templates: TemplatePolicy,
    potential: Potential,
    rules: SwitchRules,
    switched: bool,
}

impl Combined {
    /// `templates` first, both for the templates of `matcher`.
    #[must_use]
    pub fn new(
        matcher: Arc<Matcher>,
        templates: TemplatePolicy,
        potential: Potential,
        rules: SwitchRules,
    ) -> Self {
        Self {
            matcher,
            templates,
            potential,
            rules,
            switched: false,
        }
    }
}

impl Policy for Combined {
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        self.switched |= view.turn >= self.rules.give_up
            || self.matcher.completed(view.board, self.rules.built) != 0;
        if !self.switched {
            let placement = self.templates.search(view, work);
            if placement.is_some() || view.board.stones() < self.rules.hopeless {
                work.decisions += 1;
                return placement
                    .or_else(|| self.templates.repair(view, work))
                    .map(Decision::build);
            }
            self.switched = true;
        }
        self.potential.choose(view, work)
    }

    fn restart(&mut self) {
        self.switched = false;
        self.templates.restart();
        self.potential.restart();
    }

    fn table_bytes(&self) -> u64 {
        self.templates.table_bytes()
    }
}
