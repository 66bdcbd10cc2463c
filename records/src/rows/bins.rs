//! Columns of intervals: `param_items@4` has the interval of `param_items` for each row, one of four that hold about
//! equally many rows of an experiment.

use std::collections::BTreeMap;

use super::Rows;
use super::column::{StoredColumn, WordColumn};

/// The column and the number of intervals of a name `COLUMN@NUMBER`; `None` if it is no such name.
pub fn intervals(name: &str) -> Option<(&str, usize)> {
    let (column, number) = name.split_once('@')?;
    let number = number.parse().ok();
    Some((column, number.filter(|number| (2..=20).contains(number))?))
}

impl Rows {
    /// Adds the column `name` if it is of the form `COLUMN@NUMBER` and is missing. The words are the smallest and the
    /// largest number of each interval, `12 … 57`; a row without a number keeps its word.
    pub fn divide(&mut self, name: &str) {
        let Some((column, number)) = intervals(name).filter(|_| !self.has(name)) else {
            return;
        };
        let mut words: Vec<String> = vec![String::new(); self.len];
        let mut ascending: Vec<(f64, String)> = Vec::new();
        for (_, rows) in self.group("experiment", &self.all()) {
            let mut numbers = self.numbers(column, &rows);
            numbers.sort_by(f64::total_cmp);
            let cuts = (1..number).filter_map(|cut| numbers.get(cut * numbers.len() / number));
            let cuts: Vec<f64> = cuts.copied().collect();
            let place = |value: f64| cuts.partition_point(|cut| *cut <= value);
            let mut ends: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
            for value in &numbers {
                ends.entry(place(*value)).or_insert([*value; 2])[1] = *value;
            }
            let text = |[low, high]: [f64; 2]| match low < high {
                true => format!("{low} … {high}"),
                false => low.to_string(),
            };
            ascending.extend(ends.values().map(|ends| (ends[0], text(*ends))));
            for row in rows {
                words[row as usize] = match self.number(column, row) {
                    Some(value) => text(ends[&place(value)]),
                    None => self.text(column, row).to_owned(),
                };
            }
        }
        self.place.insert(name.to_owned(), self.columns.len());
        self.names.push(name.to_owned());
        self.columns.push(stored(&words));
        ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.set_order(name, ascending.iter().map(|(_, word)| word.as_str()));
    }
}

/// A column of words, one for each row.
fn stored(words: &[String]) -> StoredColumn {
    let mut stored = WordColumn::default();
    for (row, word) in words.iter().enumerate() {
        stored.push(row, word);
    }
    StoredColumn::Words(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_equally_many_rows_of_each_experiment() {
        let mut rows = Rows::of_table(
            "experiment,param_items\ne,100\ne,9\ne,20\ne,1\ne,\nother,5\nother,5\ne,many\n",
        );
        rows.divide("param_items@2");
        let words: Vec<&str> = (0..8).map(|row| rows.text("param_items@2", row)).collect();
        assert_eq!(
            words,
            [
                "20 … 100",
                "1 … 9",
                "20 … 100",
                "1 … 9",
                "",
                "5",
                "5",
                "many"
            ]
        );
        let all = rows.all();
        assert_eq!(
            rows.distinct("param_items@2", &all[..4]),
            ["1 … 9", "20 … 100"]
        );
        for name in ["param_items@1", "param_items@21", "param_items@x"] {
            rows.divide(name);
            assert!(!rows.has(name), "{name}");
        }
    }

    #[test]
    fn intervals_are_in_the_order_of_their_numbers() {
        let mut rows =
            Rows::of_table("experiment,param_x\ne,3\ne,0.5\ne,0.25\ne,10\ne,0.125\ne,7\nother,2\n");
        rows.divide("param_x@3");
        assert_eq!(
            rows.distinct("param_x@3", &rows.all()),
            ["0.125 … 0.25", "0.5 … 3", "2", "7 … 10"]
        );
        assert_eq!(rows.with("param_x@3", "7 … 10"), [3, 5]);
        assert_eq!(rows.columns().last(), Some("param_x@3"));
    }
}
