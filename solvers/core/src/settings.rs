//! Named values: what `--set key=value` and an experiment's tables say.
//!
//! A problem declares the settings of its question, a variant those of its method, a generator its
//! parameters, each as a table of [`Setting`]. [`Settings`] holds the values given; getters fall back
//! to the declared default, and [`Settings::check`] refuses unknown names with the nearest known one.

use std::collections::BTreeMap;
use std::fmt;

use crate::InputError;

/// One value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A decimal number.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// Anything else.
    Text(String),
}

impl Value {
    /// Reads what a person typed: a whole number, a decimal number, `true`/`false`, else text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if let Ok(int) = text.parse() {
            return Self::Int(int);
        }
        match text {
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            // "inf" and "nan" stay text, so that a getter of a number refuses them.
            _ => match text.parse::<f64>() {
                Ok(float) if float.is_finite() => Self::Float(float),
                _ => Self::Text(text.to_owned()),
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value}"),
        }
    }
}

/// A declared setting: its name, its default as a person would type it, and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The key in `--set key=value`.
    pub name: &'static str,
    /// The default as typed; empty means "none: decided by the instance".
    pub default: &'static str,
    /// One sentence, with the unit and the range.
    pub about: &'static str,
}

/// Values by name, in the order of their names, so that equal settings are written alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings(BTreeMap<String, Value>);

impl Settings {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `name`, replacing what it was.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// The value given for `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All values in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether no value was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Only the values whose names `declared` knows.
    #[must_use]
    pub fn only(&self, declared: &[Setting]) -> Self {
        let known = |name: &String| declared.iter().any(|setting| setting.name == name);
        Self(
            self.0
                .iter()
                .filter(|(name, _)| known(name))
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect(),
        )
    }

    /// Refuses a name that none of the `declared` tables knows, suggesting the nearest.
    ///
    /// # Errors
    /// Names the unknown key, the nearest known one, and all known ones.
    pub fn check(&self, what: &str, declared: &[&[Setting]]) -> Result<(), InputError> {
        let known: Vec<&str> = declared
            .iter()
            .flat_map(|table| table.iter().map(|setting| setting.name))
            .collect();
        for name in self.0.keys() {
            if !known.contains(&name.as_str()) {
                let hint = nearest(name, known.iter().copied())
                    .map_or(String::new(), |near| format!(", did you mean `{near}`?"));
                let list = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                return Err(InputError::new(format!(
                    "{what} has no setting `{name}`{hint} (it has: {list})"
                )));
            }
        }
        Ok(())
    }

    fn value_or_default(&self, setting: &Setting) -> Option<Value> {
        self.get(setting.name)
            .cloned()
            .or_else(|| (!setting.default.is_empty()).then(|| Value::parse(setting.default)))
    }

    /// A whole number within `range`, or the default; `None` if neither is there.
    ///
    /// # Errors
    /// When the value is no whole number or outside `range`.
    pub fn int(
        &self,
        setting: &Setting,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<i64>, InputError> {
        match self.value_or_default(setting) {
            None => Ok(None),
            Some(Value::Int(value)) if range.contains(&value) => Ok(Some(value)),
            Some(other) => Err(refuse(
                setting,
                &other,
                &format!("a whole number from {} to {}", range.start(), range.end()),
            )),
        }
    }

    /// A number within `range`, or the default; `None` if neither is there.
    ///
    /// # Errors
    /// When the value is no number or outside `range`.
    pub fn float(
        &self,
        setting: &Setting,
        range: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<f64>, InputError> {
        let value = match self.value_or_default(setting) {
            None => return Ok(None),
            #[expect(clippy::cast_precision_loss, reason = "a person's number")]
            Some(Value::Int(value)) => value as f64,
            Some(Value::Float(value)) => value,
            Some(other) => return Err(refuse(setting, &other, "a number")),
        };
        if range.contains(&value) {
            Ok(Some(value))
        } else {
            let wanted = format!("a number from {} to {}", range.start(), range.end());
            Err(refuse(setting, &Value::Float(value), &wanted))
        }
    }

    /// `true` or `false`, or the default; `None` if neither is there.
    ///
    /// # Errors
    /// When the value is neither.
    pub fn bool(&self, setting: &Setting) -> Result<Option<bool>, InputError> {
        match self.value_or_default(setting) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(refuse(setting, &other, "true or false")),
        }
    }

    /// The value as text, or the default; `None` if neither is there.
    #[must_use]
    pub fn text(&self, setting: &Setting) -> Option<String> {
        self.value_or_default(setting)
            .map(|value| value.to_string())
    }

    /// One of `choices`, or the default; `None` if neither is there.
    ///
    /// # Errors
    /// When the value is none of them; suggests the nearest.
    pub fn choice<'a>(
        &self,
        setting: &Setting,
        choices: &[&'a str],
    ) -> Result<Option<&'a str>, InputError> {
        let Some(value) = self.value_or_default(setting) else {
            return Ok(None);
        };
        let typed = value.to_string();
        match choices.iter().find(|choice| **choice == typed) {
            Some(choice) => Ok(Some(choice)),
            None => {
                let near = nearest(&typed, choices.iter().copied())
                    .map_or(String::new(), |near| format!(" (nearest: `{near}`)"));
                Err(refuse(
                    setting,
                    &value,
                    &format!("one of {}{near}", choices.join(", ")),
                ))
            }
        }
    }
}

impl<'a> FromIterator<(&'a str, Value)> for Settings {
    fn from_iter<I: IntoIterator<Item = (&'a str, Value)>>(values: I) -> Self {
        Self(
            values
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }
}

/// `a=1 b=x`, in the order of the names.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}

fn refuse(setting: &Setting, found: &Value, expected: &str) -> InputError {
    InputError::new(format!(
        "setting `{}` is `{found}`, expected {expected}",
        setting.name
    ))
}

/// The candidate nearest to `name` by edit distance, if it is near enough to be a slip of the hand.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 2).max(2);
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, one row at a time.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in to.iter().enumerate() {
            let substitute = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Setting = Setting {
        name: "steps",
        default: "48",
        about: "",
    };
    const TARGET: Setting = Setting {
        name: "target",
        default: "",
        about: "",
    };

    #[test]
    fn a_value_is_read_as_its_narrowest_kind() {
        assert_eq!(Value::parse("-3"), Value::Int(-3));
        assert_eq!(Value::parse("0.5"), Value::Float(0.5));
        assert_eq!(Value::parse("true"), Value::Bool(true));
        assert_eq!(Value::parse("1,2"), Value::Text("1,2".into()));
        assert_eq!(Value::parse("nan"), Value::Text("nan".into()));
    }

    #[test]
    fn defaults_ranges_and_kinds() {
        let none = Settings::new();
        assert_eq!(none.int(&STEPS, 0..=100), Ok(Some(48)));
        assert_eq!(none.int(&TARGET, 0..=100), Ok(None));
        let given = Settings::from_iter([("steps", Value::Int(-1))]);
        let error = given.int(&STEPS, 0..=100).expect_err("below the range");
        assert_eq!(
            error.message,
            "setting `steps` is `-1`, expected a whole number from 0 to 100"
        );
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let given = Settings::from_iter([("step", Value::Int(1))]);
        let error = given
            .check("reach", &[&[STEPS, TARGET]])
            .expect_err("unknown");
        assert!(error.message.contains("did you mean `steps`?"), "{error}");
    }

    #[test]
    fn nearest_is_silent_about_strangers() {
        assert_eq!(nearest("memmo", ["brute", "memo"]), Some("memo"));
        assert_eq!(nearest("zzzzzz", ["brute", "memo"]), None);
    }
}
