//! Ranges and lists of values, and their product: sizes × seeds × settings without code.

use ikeru_core::{Settings, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One key's values: a single value, a list, or a range.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected a value, a list of values, or a range of `from` and `to` with `step` or `factor`; whole numbers are \
                 at most 9223372036854775807"
)]
pub enum Values {
    /// `steps = 48`
    One(Value),
    /// `steps = [1, 2, 48]`
    List(Vec<Value>),
    /// `steps = { from = 1, to = 48 }`, with `step` to add or `factor` to multiply by
    Range(Range),
}

/// Whole numbers `from..=to`, adding `step` (by default 1) or multiplying by `factor`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The first value.
    pub from: i64,
    /// The upper end; no value is above it.
    pub to: i64,
    /// The difference of consecutive values; at least 1.
    pub step: Option<i64>,
    /// The ratio of consecutive values; above 1. Values are rounded, repeats dropped.
    pub factor: Option<f64>,
}

impl Values {
    /// The values in order. A range has at most [`Values::MOST`].
    ///
    /// # Errors
    /// An impossible range, or an empty list.
    pub fn list(&self) -> Result<Vec<Value>, String> {
        match self {
            Self::One(value) => Ok(vec![value.clone()]),
            Self::List(list) if list.is_empty() => {
                Err("no value, expected at least one".to_owned())
            }
            Self::List(list) => Ok(list.clone()),
            Self::Range(range) => Ok(range.list()?.into_iter().map(Value::Int).collect()),
        }
    }

    /// Values typed after `--set key=`: `a,b,c` is a list, any other text one value. A comma within `"…"`, or after a backslash,
    /// is a letter of its value.
    pub fn parse(text: &str) -> Self {
        let (mut values, mut rest) = (Vec::new(), Some(text));
        while let Some(text) = rest {
            let (value, behind) = first_value(text);
            values.push(Value::parse(&value));
            rest = behind;
        }
        match values.len() {
            1 => Self::One(values.remove(0)),
            _ => Self::List(values),
        }
    }

    /// One value typed after `--set key=`, where there are no lists: commas are its letters, also if they are quoted.
    pub fn parse_one(text: &str) -> Value {
        match Self::parse(text) {
            Self::One(value) => value,
            Self::List(_) | Self::Range(_) => Value::parse(text),
        }
    }

    /// The maximum number of values of a range, of combinations, and of generated instances.
    pub const MOST: usize = 1_000_000;
}

/// The text of the first of several values, and what follows its comma.
fn first_value(text: &str) -> (String, Option<&str>) {
    let inside = text.strip_prefix('"');
    if let Some((value, behind)) = inside.and_then(|inside| inside.split_once('"')) {
        match behind.strip_prefix(',') {
            None if behind.is_empty() => return (value.to_owned(), None),
            Some(behind) => return (value.to_owned(), Some(behind)),
            None => {}
        }
    }
    let is_end = |at: &usize| !text[..*at].ends_with('\\');
    let mut commas = text.match_indices(',').map(|(at, _)| at);
    let end = commas.find(is_end);
    let value = end.map_or(text, |end| &text[..end]).replace("\\,", ",");
    (value, end.map(|end| &text[end + 1..]))
}

impl Range {
    /// The whole numbers of the range.
    ///
    /// # Errors
    /// A range that is empty, has more than [`Values::MOST`] values, has both a step and a factor, or a step or
    /// factor that does not increase.
    pub fn list(&self) -> Result<Vec<i64>, String> {
        let (from, to) = (self.from, self.to);
        if from > to {
            return Err(format!("the range from {from} to {to} is empty"));
        }
        let values: Vec<i64> = match (self.step, self.factor) {
            (Some(_), Some(_)) => return Err("a range has a step or a factor, not both".into()),
            (step, None) => {
                let step = step.unwrap_or(1);
                if step < 1 {
                    return Err(format!("the step {step} of a range must be at least 1"));
                }
                let values = std::iter::successors(Some(from), |at| at.checked_add(step));
                let values = values.take_while(|at| *at <= to);
                values.take(Values::MOST + 1).collect()
            }
            (None, Some(factor)) => {
                if !(factor > 1.0 && from > 0) {
                    return Err("a range with a factor needs factor > 1 and from > 0".into());
                }
                let values = std::iter::successors(Some(from as f64), |at| Some(at * factor));
                let values = values.map(|at| at.round() as i64);
                let values = values.take_while(|at| *at <= to);
                let mut values: Vec<i64> = values.take(Values::MOST + 1).collect();
                values.dedup();
                values
            }
        };
        if values.len() > Values::MOST {
            return Err(format!("a range of more than {} values", Values::MOST));
        }
        Ok(values)
    }
}

/// The values of each key; [`product`] makes one [`Settings`] per combination.
pub type Matrix = BTreeMap<String, Values>;

/// The number of combinations, without building one.
///
/// # Errors
/// An impossible range or an empty list, named with its key.
pub fn combinations(matrix: &Matrix) -> Result<usize, String> {
    matrix.iter().try_fold(1, |product: usize, (key, values)| {
        let list = values.list().map_err(|error| format!("`{key}`: {error}"))?;
        Ok(product.saturating_mul(list.len()))
    })
}

/// Every combination, the last key varying fastest.
///
/// # Errors
/// An impossible range or an empty text, named with its key, or more than [`Values::MOST`] combinations.
pub fn product(matrix: &Matrix) -> Result<Vec<Settings>, String> {
    if combinations(matrix)? > Values::MOST {
        let most = Values::MOST;
        return Err(format!("more than {most} combinations of settings"));
    }
    let mut all = vec![Settings::new()];
    for (key, values) in matrix {
        let values = values.list().map_err(|error| format!("`{key}`: {error}"))?;
        // `records.csv` writes a missing setting as an empty field.
        if values.contains(&Value::Text(String::new())) {
            return Err(format!(
                "`{key}`: an empty text, expected a word such as `none`"
            ));
        }
        let with_each = |settings: &Settings| -> Vec<Settings> {
            let mut each = vec![settings.clone(); values.len()];
            for (with, value) in each.iter_mut().zip(&values) {
                with.set(key.clone(), value.clone());
            }
            each
        };
        all = all.iter().flat_map(with_each).collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_is_no_value() {
        let empty = Values::List(vec![Value::Int(1), Value::Text(String::new())]);
        let error = product(&[("flags".to_owned(), empty)].into()).expect_err("empty");
        assert!(error.starts_with("`flags`: an empty text"), "{error}");
    }

    #[test]
    fn a_range_adds_or_multiplies() {
        let range = |step, factor| Range {
            from: 1,
            to: 10,
            step,
            factor,
        };
        assert_eq!(range(Some(4), None).list(), Ok(vec![1, 5, 9]));
        assert_eq!(range(None, Some(3.0)).list(), Ok(vec![1, 3, 9]));
        assert!(range(Some(0), None).list().is_err());
        assert!(
            Range {
                from: 2,
                to: 1,
                step: None,
                factor: None
            }
            .list()
            .is_err()
        );
        assert!(
            Range {
                from: 0,
                to: i64::MAX,
                step: None,
                factor: None
            }
            .list()
            .is_err()
        );
    }

    #[test]
    fn a_comma_that_is_quoted_is_a_letter_of_its_value() {
        let text = |text: &str| Value::Text(text.to_owned());
        let one = Values::One(text("3,4"));
        assert_eq!(Values::parse(r#""3,4""#), one);
        assert_eq!(Values::parse(r"3\,4"), one);
        assert_eq!(
            Values::parse(r#"3,"4,5",6\,7,"a"b"#),
            Values::List(vec![
                Value::Int(3),
                text("4,5"),
                text("6,7"),
                text("\"a\"b")
            ])
        );
        assert_eq!(Values::parse(r#""a"#), Values::One(text("\"a")));
        for typed in ["3,4", r#""3,4""#, r"3\,4"] {
            assert_eq!(Values::parse_one(typed), text("3,4"));
        }
    }

    #[test]
    fn a_product_has_every_combination_once() {
        let matrix = Matrix::from([
            ("a".to_owned(), Values::parse("1,2")),
            ("b".to_owned(), Values::parse("true,false")),
        ]);
        let all: Vec<String> = product(&matrix)
            .expect("small")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            all,
            ["a=1 b=true", "a=1 b=false", "a=2 b=true", "a=2 b=false"]
        );
    }
}
