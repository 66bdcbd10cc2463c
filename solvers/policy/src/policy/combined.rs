//! Templates, then potential maximization (thesis 6.2): it builds a folded chain of eight and then extends it.

use std::sync::Arc;

use super::potential::{Potential, PotentialRules};
use super::selection::SelectionRule;
use super::template::TemplatePolicy;
use super::{Policy, PolicyMove, PolicyWork, View};
use crate::matching::{Matcher, TemplateTarget};
use crate::templates::criterion::{Completion, Criterion};

/// The conditions for switching from the templates to potential maximization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchRules {
    /// The number of pieces that the templates look ahead; by default that of potential maximization.
    pub template_depth: Option<usize>,
    /// The condition under which a template counts as built.
    pub built: Criterion,
    /// The move at which the templates are given up.
    pub give_up: usize,
    /// The templates are given up if all are violated and the board has at least this number of stones.
    pub hopeless: u32,
}

impl SwitchRules {
    /// The default of `give_up`.
    pub const GIVE_UP: usize = 34;
}

impl Default for SwitchRules {
    fn default() -> Self {
        Self {
            template_depth: None,
            built: Criterion::Missing(1),
            give_up: Self::GIVE_UP,
            hopeless: 24,
        }
    }
}

/// The policy.
pub struct Combined {
    matcher: Arc<Matcher>,
    templates: TemplatePolicy,
    potential: Potential,
    switch: SwitchRules,
    switched: bool,
}

impl Combined {
    /// A policy that first builds the templates of `matcher` and compares leaves by `leaves`. They look as far ahead as
    /// `potential` unless `switch` gives a depth.
    pub fn new(
        (matcher, leaves): (Arc<Matcher>, Arc<Matcher>),
        potential: PotentialRules,
        switch: SwitchRules,
    ) -> Self {
        // A template that is completed by firing is useless here, because the chain is to be extended.
        let target =
            TemplateTarget::new(Arc::clone(&matcher), Completion::Standing).with_leaves(leaves);
        let depth = switch.template_depth.unwrap_or(potential.depth);
        Self {
            templates: TemplatePolicy::new(target, depth, SelectionRule::Best),
            potential: Potential::new(matcher.size(), potential),
            matcher,
            switch,
            switched: false,
        }
    }
}

impl Policy for Combined {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        self.switched |= view.turn >= self.switch.give_up
            || self.matcher.completed(view.board, self.switch.built) != 0;
        if !self.switched {
            let placement = self.templates.search(view, work);
            if placement.is_some() || view.board.stones() < self.switch.hopeless {
                work.decisions += 1;
                return placement
                    .or_else(|| self.templates.repair(view, work))
                    .map(PolicyMove::build);
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
