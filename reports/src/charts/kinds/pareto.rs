//! Median of y against median of x, one point per series; those that no other beats in both are joined.

use super::prelude::*;

pub(super) const KIND: Kind = Kind {
    word: "pareto",
    shown: "medians",
    along: Along::Numbers,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| {
        let median = |column, own: &[u32]| Statistic::Median.of(question.rows, column, own);
        question.by_series(panel, |own| {
            let both = median(question.x, own).zip(median(&question.plot.y, own));
            both.map(|(x, y)| Point::of(x.value, y))
                .into_iter()
                .collect()
        })
    },
    style: &Style {
        foot: Foot::Zero,
        names: Names::Points,
        series: fronts,
        beside: centred,
    },
};

fn fronts(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    let mut points: Vec<(&Series, Point)> = panel
        .series
        .iter()
        .filter_map(|series| Some((series, *series.points.first()?)))
        .collect();
    points.sort_by(|a, b| a.1.x.total_cmp(&b.1.x).then(b.1.mid.total_cmp(&a.1.mid)));
    let mut best = f64::NEG_INFINITY;
    let mut front = Vec::new();
    for (_, point) in &points {
        if point.mid > best {
            best = point.mid;
            front.push(at(point, frame));
        }
    }
    sheet.stroke(front, 1.2, MUTED);
    let mut taken: Vec<Card> = points
        .iter()
        .map(|(_, point)| Card::around(at(point, frame), 12.0, 12.0))
        .collect();
    for (series, point) in &points {
        let centre = at(point, frame);
        whisker(sheet, centre.0, 4.0, point, frame);
        marker(sheet, centre, series.look, 6.0, point.censored);
        if chart.panels.len() == 1 {
            name_beside(sheet, &series.name, centre, frame, &mut taken);
        }
    }
}

/// A rectangle that a label takes.
struct Card {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Card {
    fn around(centre: (f64, f64), width: f64, height: f64) -> Self {
        Self {
            left: centre.0 - 0.5 * width,
            top: centre.1 - 0.5 * height,
            right: centre.0 + 0.5 * width,
            bottom: centre.1 + 0.5 * height,
        }
    }
    fn meets(&self, other: &Self) -> bool {
        let beside = self.right < other.left || other.right < self.left;
        let apart = self.bottom < other.top || other.bottom < self.top;
        !beside && !apart
    }
}

/// Writes a name as near to its point as other names and points leave room.
fn name_beside(
    sheet: &mut Sheet,
    name: &str,
    point: (f64, f64),
    frame: &Frame,
    taken: &mut Vec<Card>,
) {
    let width = text_width(name, TEXT) + 4.0;
    let sides = (1..12).flat_map(|ring| {
        let away = 15.0 * f64::from(ring);
        let side = 0.5 * width + 11.0;
        [
            (side, away - 5.0),
            (-side, 5.0 - away),
            (0.0, -away),
            (0.0, away),
            (side, 5.0 - away),
            (-side, away - 5.0),
        ]
    });
    for (right, down) in sides {
        let centre = (point.0 + right, point.1 + down);
        let card = Card::around(centre, width, 15.0);
        let is_inside = card.left >= frame.left
            && card.right <= frame.right() + 14.0
            && card.top >= frame.top - 6.0
            && card.bottom <= frame.bottom();
        if is_inside && !taken.iter().any(|other| card.meets(other)) {
            if down.abs() > 20.0 {
                sheet.line(
                    point,
                    (centre.0, centre.1 - 8.0 * down.signum()),
                    0.5,
                    MUTED,
                );
            }
            sheet.text(centre, TEXT, name, INK, Anchor::Middle);
            taken.push(card);
            return;
        }
    }
}
