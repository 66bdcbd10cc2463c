//! One colour and one marker for each label of a run, the same in all its plots.

use std::collections::BTreeMap;

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
/// Strong hues first: yellow on white is the hardest to see.
const ORDER: [usize; 7] = [4, 5, 2, 0, 6, 1, 3];
/// The baseline's.
const GREY: Rgb = (120, 120, 120);

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// ●
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

/// How one series looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Red, green, blue.
    pub colour: (u8, u8, u8),
    /// The shape of its points.
    pub marker: Marker,
}

/// The looks of a run's labels, in their order; the baseline is grey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks(BTreeMap<String, Look>);

impl Looks {
    /// Gives each label its look. Colours repeat after seven labels, with another marker: no two
    /// of the first 35 look the same.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>, baseline: Option<&str>) -> Self {
        let mut looks = BTreeMap::new();
        let mut next = 0;
        for label in labels {
            if looks.contains_key(label) {
                continue;
            }
            let look = if baseline == Some(label) {
                Look {
                    colour: GREY,
                    marker: Marker::Disc,
                }
            } else {
                next += 1;
                Self::nth(next - 1)
            };
            looks.insert(label.to_owned(), look);
        }
        Self(looks)
    }

    /// The same for some labels drawn together: where two have one colour and another is free, the
    /// later one takes it.
    pub fn apart<'a>(mut self, together: impl IntoIterator<Item = &'a str>) -> Self {
        let mut taken: Vec<Rgb> = Vec::new();
        for label in together {
            let Some(look) = self.0.get_mut(label) else {
                continue;
            };
            if taken.contains(&look.colour) {
                let free = ORDER.map(|index| OKABE_ITO[index]);
                let free = free.into_iter().find(|colour| !taken.contains(colour));
                look.colour = free.unwrap_or(look.colour);
            }
            taken.push(look.colour);
        }
        self
    }

    /// The look of a label; of an unknown one that of the first.
    pub fn of(&self, label: &str) -> Look {
        self.0.get(label).copied().unwrap_or_else(|| Self::nth(0))
    }

    fn nth(index: usize) -> Look {
        Look {
            colour: OKABE_ITO[ORDER[index % ORDER.len()]],
            marker: MARKERS[(index + 1) % MARKERS.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_drawn_together_share_no_colour_while_one_is_free() {
        let labels: Vec<String> = (0..20).map(|index| index.to_string()).collect();
        let together = ["0", "7", "14", "1", "8", "3", "2", "9"];
        let looks = Looks::new(labels.iter().map(String::as_str), Some("0")).apart(together);
        let colours: std::collections::BTreeSet<_> =
            together.map(|label| looks.of(label).colour).into();
        assert_eq!(colours.len(), 8, "seven colours and grey");
    }

    #[test]
    fn no_two_of_35_labels_look_the_same_and_the_baseline_is_grey() {
        let labels: Vec<String> = (0..36).map(|index| index.to_string()).collect();
        let looks = Looks::new(labels.iter().map(String::as_str), Some("0"));
        assert_eq!(looks.of("0").colour, GREY);
        for a in 0..36 {
            for b in 0..a {
                assert_ne!(looks.of(&labels[a]), looks.of(&labels[b]), "{a} and {b}");
            }
        }
    }
}
