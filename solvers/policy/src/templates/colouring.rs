//! The colourings that the truth table of a template allows, and the puyos of each colour that they need.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ikeru_chain::PuyoColour;

use super::Template;
use super::truth::LabelRelation;

/// The most groups of a template whose colourings are listed (the domino has 18 groups and about 10⁸ colourings).
const LISTED_GROUPS: usize = 12;
/// The most colourings that are listed; drawings with few adjacent groups have many.
const LISTED_COLOURINGS: u32 = 1 << 20;

/// The number of puyos of each colour.
pub(crate) type Needs = [u32; PuyoColour::COUNT];

/// Returns whether the capitals of a template have a proper colouring.
pub(crate) fn can_be_coloured(template: &Template, colours: usize) -> bool {
    for_each_colouring(template, colours, &mut |_| ControlFlow::Break(())).is_break()
}

/// The number of cells of each group of a template.
pub(crate) fn group_sizes(template: &Template) -> Vec<u32> {
    let mut sizes = vec![0; template.labels.capitals()];
    let cells = template.capital_cells();
    let labels = cells.filter_map(|cell| template.labels.label(cell));
    labels.for_each(|label| sizes[label] += 1);
    sizes
}

/// The puyos of each colour in every colouring of a template's capitals, or in every `proper` one; at least one must
/// exist. With too many groups or colourings to list, improper colourings are included, so that a lower bound derived
/// from the result stays valid.
pub(crate) fn colour_needs(template: &Template, colours: usize, proper: bool) -> BTreeSet<Needs> {
    let sizes = group_sizes(template);
    if !proper || sizes.len() > LISTED_GROUPS {
        return proper_or_not(&sizes, colours);
    }
    let mut listed = 0;
    let mut needs = BTreeSet::new();
    let all = for_each_colouring(template, colours, &mut |colouring| {
        listed += 1;
        let mut need = [0; PuyoColour::COUNT];
        for (&colour, &size) in colouring.iter().zip(&sizes) {
            need[colour] += size;
        }
        needs.insert(need);
        if listed < LISTED_COLOURINGS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    match all {
        ControlFlow::Break(()) => proper_or_not(&sizes, colours),
        ControlFlow::Continue(()) => needs,
    }
}

/// The puyos of each colour in every colouring of groups of these sizes.
fn proper_or_not(sizes: &[u32], colours: usize) -> BTreeSet<Needs> {
    let mut partial = BTreeSet::from([[0; PuyoColour::COUNT]]);
    for &size in sizes {
        let extended = partial.iter().flat_map(|need| {
            (0..colours).map(move |colour| {
                let mut need = *need;
                need[colour] += size;
                need
            })
        });
        partial = extended.collect();
    }
    partial
}

/// Calls `visit` with every colouring of a template's capitals that its truth table allows, as one colour number for
/// each capital, until `visit` breaks.
pub fn for_each_colouring(
    template: &Template,
    colours: usize,
    visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        template: &Template,
        colours: usize,
        colouring: &mut Vec<usize>,
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let label = colouring.len();
        if label == template.labels.capitals() {
            return visit(colouring);
        }
        for colour in 0..colours {
            let clash = (0..label).any(|other| {
                colouring[other] == colour
                    && template.truth.relation(label, other) == LabelRelation::Differ
            });
            if !clash {
                colouring.push(colour);
                extend(template, colours, colouring, visit)?;
                colouring.pop();
            }
        }
        ControlFlow::Continue(())
    }
    extend(template, colours, &mut Vec::new(), visit)
}
