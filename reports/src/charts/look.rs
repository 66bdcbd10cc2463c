//! One colour and one marker for each label, the same in all plots of a page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ikeru_bench_data::builtin;

use crate::rows::Rows;
use crate::sheet::Rgb;

/// The palette of Okabe and Ito: orange, sky blue, bluish green, yellow, blue, vermillion, reddish purple.
pub const OKABE_ITO: [Rgb; 7] = [
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
];

/// The colours of series: those of Okabe and Ito with a darker yellow, strong hues first, and brown; then dark shades
/// of them. On a dark ground, a page replaces each of them by a lighter one with the same index.
pub const SERIES: [Rgb; 16] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (230, 159, 0),
    (204, 121, 167),
    (86, 180, 233),
    (166, 142, 0),
    (128, 70, 27),
    (0, 56, 101),
    (139, 32, 0),
    (0, 88, 64),
    (110, 84, 120),
    (140, 30, 100),
    (70, 110, 130),
    (95, 95, 0),
    (60, 60, 60),
];

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marker {
    /// ●
    #[default]
    Disc,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ▼
    Nabla,
    /// ✚
    Cross,
}

const MARKERS: [Marker; 5] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Nabla,
    Marker::Cross,
];

/// The colour and the marker of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Red, green, blue.
    pub colour: (u8, u8, u8),
    /// The shape of its points.
    pub marker: Marker,
    /// True for the baseline, whose line is dashed.
    pub is_baseline: bool,
}

/// The looks of labels by their place in an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks(BTreeMap<String, Look>);

impl Looks {
    /// Gives each label its look. Colours repeat after sixteen labels, with another marker: the first eighty looks all
    /// differ.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>, baseline: Option<&str>) -> Self {
        let mut looks = BTreeMap::new();
        for label in labels {
            let look = Look {
                is_baseline: baseline == Some(label),
                ..Self::nth(looks.len())
            };
            looks.entry(label.to_owned()).or_insert(look);
        }
        Self(looks)
    }

    /// The looks of the labels of one experiment, `own`: by their place among all labels of its problem, first those of
    /// the built-in experiments, so that a label looks the same in every plot of every run.
    pub fn of_experiment(rows: &Rows, own: &[u32], baseline: Option<&str>) -> Self {
        let problem = own.first().map_or("", |row| rows.text("problem", *row));
        let of_problem = rows.with("problem", problem);
        let present = rows.distinct("label", if problem.is_empty() { own } else { &of_problem });
        let is_of_commands = own.first().is_some_and(|row| rows.is_of_commands(*row));
        let known: &[String] = match is_of_commands {
            true => &[],
            false => DECLARED.get(problem).map_or(&[], Vec::as_slice),
        };
        let labels = known.iter().chain(&present);
        Self::new(labels.map(String::as_str), baseline)
    }

    /// The look of a label; an unknown label has the look of the first.
    pub fn of(&self, label: &str) -> Look {
        let known = self.0.get(label).copied();
        known.unwrap_or_else(|| Self::nth(0))
    }

    /// The label of the baseline.
    pub fn baseline(&self) -> Option<&str> {
        let known = self.0.iter().find(|(_, look)| look.is_baseline);
        known.map(|(label, _)| label.as_str())
    }

    fn nth(index: usize) -> Look {
        Look {
            colour: SERIES[index % SERIES.len()],
            marker: MARKERS[index % MARKERS.len()],
            is_baseline: false,
        }
    }
}

/// The labels that the built-in experiments declare, by problem.
static DECLARED: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // A test ensures that every built-in experiment can be read.
    let names = builtin::experiment_texts();
    for experiment in names.flat_map(|(name, _)| builtin::experiment(name)) {
        let labels = of.entry(experiment.problem.name().to_owned()).or_default();
        for spec in experiment.variant_specs().unwrap_or_default() {
            if spec.name != "*" && !labels.contains(&spec.label) {
                labels.push(spec.label);
            }
        }
    }
    of
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    #[test]
    fn no_two_of_eighty_labels_look_the_same() {
        let labels: Vec<String> = (0..80).map(|index| index.to_string()).collect();
        let looks = Looks::new(labels.iter().map(String::as_str), Some("0"));
        assert!(looks.of("0").is_baseline && !looks.of("1").is_baseline);
        for a in 0..80 {
            for b in 0..a {
                assert_ne!(looks.of(&labels[a]), looks.of(&labels[b]), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_label_has_one_colour_whatever_stands_beside_it() {
        let rows = rows(
            "schema,experiment,problem,label\n1,a,reach,memo\n1,a,reach,mine\n1,b,reach,bitboard\n1,b,reach,memo\n",
        );
        let of = |experiment: &str, baseline| {
            Looks::of_experiment(&rows, &rows.with("experiment", experiment), baseline)
        };
        let (a, b) = (of("a", Some("memo")), of("b", Some("bitboard")));
        for label in ["memo", "mine", "bitboard"] {
            assert_eq!(a.of(label).colour, b.of(label).colour, "{label}");
            assert_eq!(a.of(label).marker, b.of(label).marker, "{label}");
        }
        assert!(a.of("memo").is_baseline && !b.of("memo").is_baseline);
        let colours = ["memo", "mine", "bitboard"].map(|label| a.of(label).colour);
        assert!(colours[0] != colours[1] && colours[1] != colours[2]);
    }
}
