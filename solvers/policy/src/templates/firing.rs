//! Fires a drawn chain: cells fall and vanish like puyos, with each label as a separate colour.

use ikeru_core::InputError;

use super::drawing::{DrawingExtent, DrawingKind, TemplateDrawing};

/// A grid of label numbers; `None` is empty.
pub(super) type LabelGrid = Vec<Option<usize>>;

/// The least number of connected cells of one label that vanish.
const GROUP: usize = 4;

/// The components that vanish, of labels below `capitals`; other labels never vanish.
fn vanishing(extent: DrawingExtent, grid: &LabelGrid, capitals: usize) -> Vec<Vec<usize>> {
    let mut seen = vec![false; grid.len()];
    let mut groups = Vec::new();
    for start in 0..grid.len() {
        let Some(label) = grid[start].filter(|&label| label < capitals && !seen[start]) else {
            continue;
        };
        let mut group = vec![start];
        seen[start] = true;
        let mut next = 0;
        while let Some(&cell) = group.get(next) {
            next += 1;
            for beside in extent.neighbours(cell) {
                if !seen[beside] && grid[beside] == Some(label) {
                    seen[beside] = true;
                    group.push(beside);
                }
            }
        }
        if group.len() >= GROUP {
            groups.push(group);
        }
    }
    groups
}

fn fall(extent: DrawingExtent, grid: &mut LabelGrid) {
    for column in 0..extent.width {
        let mut height = 0;
        for row in 0..extent.height {
            let from = extent.index(column, row);
            if grid[from].is_some() {
                grid.swap(from, extent.index(column, height));
                height += 1;
            }
        }
    }
}

/// The grid after each step of the chain, with all labels that vanished in the step.
pub(super) fn stages(
    extent: DrawingExtent,
    grid: &LabelGrid,
    capitals: usize,
) -> Vec<(Vec<usize>, LabelGrid)> {
    let mut grid = grid.clone();
    let mut stages = Vec::new();
    loop {
        let groups = vanishing(extent, &grid, capitals);
        if groups.is_empty() {
            return stages;
        }
        let labels = groups.iter().filter_map(|group| grid[group[0]]).collect();
        for cell in groups.into_iter().flatten() {
            grid[cell] = None;
        }
        fall(extent, &mut grid);
        stages.push((labels, grid.clone()));
    }
}

/// Refuses a drawing with floating cells, and a chain that does not fire group by group, leaves cells behind, or
/// always fires before it is complete.
pub(super) fn check(drawing: &TemplateDrawing) -> Result<(), InputError> {
    let extent = drawing.extent;
    let wrong = |message: String| {
        let message = format!("template `{}` {message}", drawing.name);
        Err(drawing.error(message))
    };
    for cell in extent.width..extent.cells() {
        if let (Some(capital), None) = (drawing.cells[cell], drawing.cells[cell - extent.width]) {
            let (column, row) = (cell % extent.width + 1, cell / extent.width + 1);
            return wrong(format!(
                "floats: {capital} in column {column}, row {row} from below has nothing under it"
            ));
        }
    }
    if drawing.kind == DrawingKind::Pattern {
        return Ok(());
    }
    let capitals = drawing.capitals();
    for &capital in &capitals {
        let count = drawing
            .cells
            .iter()
            .filter(|&&c| c == Some(capital))
            .count();
        if count < GROUP {
            return wrong(format!(
                "has {count} cells of {capital}, expected at least {GROUP} to vanish"
            ));
        }
    }
    let number = |capital| capitals.iter().position(|&known| known == capital);
    let grid: LabelGrid = drawing
        .cells
        .iter()
        .map(|cell| cell.and_then(number))
        .collect();
    let stages = stages(extent, &grid, capitals.len());
    for (step, capital) in capitals.iter().enumerate() {
        let found = stages.get(step).map_or(&[][..], |(labels, _)| labels);
        if found != [step] {
            let found = match found {
                [] => "nothing vanishes".to_owned(),
                [label] => format!("{} vanishes", capitals[*label]),
                labels => {
                    let names: Vec<String> = labels.iter().map(|&l| capitals[l].into()).collect();
                    format!("{} vanish", names.join(" and "))
                }
            };
            return wrong(format!(
                "does not fire as drawn: in step {} {found}, expected {capital} alone",
                step + 1
            ));
        }
    }
    if let Some(left) = stages
        .last()
        .and_then(|(_, grid)| grid.iter().flatten().next())
    {
        return wrong(format!("leaves a {} behind", capitals[*left]));
    }
    if trigger(extent, &grid, capitals.len()).is_none() {
        return wrong(format!(
            "never stands: no topmost {} can be left out so that nothing vanishes yet",
            capitals[0]
        ));
    }
    Ok(())
}

/// A topmost cell of the first label without which nothing vanishes: the cell that fires the chain.
pub(super) fn trigger(extent: DrawingExtent, grid: &LabelGrid, capitals: usize) -> Option<usize> {
    let top = |cell: usize| {
        let above = cell + extent.width;
        above >= grid.len() || grid[above].is_none()
    };
    (0..grid.len())
        .rev()
        .filter(|&cell| grid[cell] == Some(0) && top(cell))
        .find(|&cell| {
            let mut without = grid.clone();
            without[cell] = None;
            vanishing(extent, &without, capitals).is_empty()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::drawing;

    /// Calls `then` with each colouring of the labels of `grid` by four colours in which neighbouring labels differ.
    fn coloured(
        extent: DrawingExtent,
        grid: &LabelGrid,
        colours: &mut Vec<usize>,
        labels: usize,
        then: &mut dyn FnMut(&[usize]),
    ) {
        let label = colours.len();
        if label == labels {
            return then(colours);
        }
        let cells = (0..grid.len()).filter(|cell| grid[*cell] == Some(label));
        let beside = cells.flat_map(|cell| extent.neighbours(cell).filter_map(|cell| grid[cell]));
        let beside: Vec<usize> = beside.filter(|other| *other < label).collect();
        for colour in 0..4 {
            if beside.iter().all(|other| colours[*other] != colour) {
                colours.push(colour);
                coloured(extent, grid, colours, labels, then);
                colours.pop();
            }
        }
    }

    /// Section 5 (2) of the thesis. Its labels A and C are C and E here, where labels follow the order of the chain.
    #[test]
    fn the_stairs_end_after_four_steps_if_the_groups_that_the_thesis_names_have_one_colour() {
        let text = include_str!("../../templates/stairs.txt");
        let drawings = drawing::read(text).expect("the stairs");
        let (extent, capitals) = (drawings[0].extent, drawings[0].capitals());
        let number = |capital| capitals.iter().position(|known| *known == capital);
        let cells = drawings[0].cells.iter();
        let grid: LabelGrid = cells.map(|cell| cell.and_then(number)).collect();
        let (third, fifth) = (number('C').expect("C"), number('E').expect("E"));
        let (mut same, mut others) = (0, 0);
        coloured(
            extent,
            &grid,
            &mut Vec::new(),
            capitals.len(),
            &mut |colours| {
                let board = grid.iter().map(|cell| cell.map(|label| colours[label]));
                let steps = stages(extent, &board.collect(), 4).len();
                if colours[third] == colours[fifth] {
                    assert_eq!(steps, 4, "{colours:?}");
                    same += 1;
                } else {
                    others += usize::from(steps == capitals.len());
                }
            },
        );
        assert_eq!(same, 864);
        assert!(others > 864, "{others}");
    }
}
