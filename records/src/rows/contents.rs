//! The contents of a label: after a variant's program changed, or its version rose, the same questions are answered by
//! another solver. The last contents count; the rows of earlier ones leave every table, and can be compared by their number.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rows, WAYS};
use crate::Family;

impl Rows {
    /// Leaves out the rows of a label's earlier contents: those before the first row of another cell for an instance that the
    /// label had answered before, with the same settings.
    pub(super) fn supersede(&mut self) {
        let all = self.all();
        if !self.has("cell") || self.distinct("session", &all).len() < 2 {
            return;
        }
        // Another referee makes another question of an instance.
        let fixed = ["experiment", "label", "variant", "instance_hash"];
        let mut by = [&fixed[..], &WAYS].concat();
        by.extend(
            self.family(Family::Setting)
                .chain(self.family(Family::Method)),
        );
        // For each label, the first rows of its second, third … contents.
        let mut begins: BTreeMap<[&str; 2], BTreeMap<usize, u32>> = BTreeMap::new();
        for own in self.group_by(&by, &all) {
            let mut firsts: Vec<u32> = self
                .group_by(&["cell"], &own)
                .iter()
                .map(|it| it[0])
                .collect();
            firsts.sort_unstable();
            for (number, first) in firsts.into_iter().enumerate().skip(1) {
                let label = ["experiment", "label"].map(|column| self.text(column, first));
                let begin = begins
                    .entry(label)
                    .or_default()
                    .entry(number)
                    .or_insert(first);
                *begin = first.min(*begin);
            }
        }
        if begins.is_empty() {
            return;
        }
        let mut earlier: BTreeMap<String, Vec<Vec<u32>>> = BTreeMap::new();
        let mut gone = BTreeSet::new();
        for (label, begins) in &begins {
            let own = self.with("label", label[1]);
            let own: Vec<u32> = own
                .into_iter()
                .filter(|row| self.text("experiment", *row) == label[0])
                .collect();
            let mut begin = 0;
            for (number, end) in begins {
                let contents = own
                    .iter()
                    .copied()
                    .filter(|row| (begin..*end).contains(row));
                let contents: Vec<u32> = contents.collect();
                gone.extend(contents.iter().copied());
                let known = earlier.entry(label[1].to_owned()).or_default();
                known.resize(known.len().max(*number), Vec::new());
                known[number - 1].extend(contents);
                begin = *end;
            }
        }
        let mut count = all;
        count.retain(|row| !gone.contains(row));
        self.count = Some(count);
        self.earlier = earlier;
    }

    /// The rows of the earlier contents of a label, the first ones first.
    pub fn earlier(&self, label: &str) -> &[Vec<u32>] {
        self.earlier.get(label).map_or(&[], Vec::as_slice)
    }

    /// The labels that have earlier contents, with the number of their rows.
    pub fn superseded(&self) -> impl Iterator<Item = (&str, usize)> {
        let count = |contents: &Vec<Vec<u32>>| contents.iter().map(Vec::len).sum();
        self.earlier
            .iter()
            .map(move |(label, contents)| (label.as_str(), count(contents)))
    }
}

#[cfg(test)]
mod tests {
    use crate::rows::Rows;

    #[test]
    fn the_last_contents_of_a_label_count() {
        let mut text =
            "schema,experiment,label,variant,instance_hash,cell,session,repeat\n".to_owned();
        for (label, cell, session, question) in [
            ("a", "a1", 1, "q1"),
            ("b", "b1", 1, "q1"),
            ("b", "b2", 1, "q2"),
            // Another program of b, asked one question of the two.
            ("b", "c1", 2, "q1"),
            ("a", "a2", 2, "q2"),
        ] {
            text += &format!("1,e,{label},{label},{question},{cell},{session},0\n");
        }
        let rows = Rows::of_table(&text);
        assert_eq!(rows.all(), [0, 3, 4]);
        assert_eq!(rows.with("label", "b"), [3]);
        assert_eq!(rows.earlier("b"), [vec![1, 2]]);
        assert_eq!(rows.superseded().collect::<Vec<_>>(), [("b", 2)]);
        assert!(rows.earlier("a").is_empty());
        let third = text + "1,e,b,b,q1,d1,3,0\n";
        let rows = Rows::of_table(&third);
        assert_eq!(rows.earlier("b"), [vec![1, 2], vec![3]]);
        assert_eq!(rows.with("label", "b"), [5]);
    }
}
