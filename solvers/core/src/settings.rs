//! Named values: what `--set key=value` and an experiment's tables say.
//!
//! A [`Setting`] is declared once, as a constant with its type, default, range and sentence:
//! `const STEPS: Setting<i64> = Setting::int("steps", 48, 0..=1_000_000, "exact number of steps")`. A problem, a variant
//! and a generator each list theirs as a table of [`SettingInfo`]. [`Settings`] holds the values that were given;
//! [`Settings::get`] reads one with its type and falls back to its default.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::{InputError, nearest, unknown};

/// One value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A decimal number.
    Float(f64),
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
            // "inf" and "nan" stay text, so that a setting of a number refuses them.
            _ => match text.parse::<f64>() {
                Ok(float) if float.is_finite() => Self::Float(float),
                _ => Self::Text(text.to_owned()),
            },
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "a person's number")]
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Bool(_) | Self::Text(_) => None,
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

/// The values that a setting takes, with its default.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Whole numbers from `least` to `most`.
    Int {
        /// `None`: the instance decides.
        default: Option<i64>,
        /// The smallest value.
        least: i64,
        /// The largest value.
        most: i64,
    },
    /// Numbers from `least` to `most`.
    Float {
        /// `None`: the instance decides.
        default: Option<f64>,
        /// The smallest value.
        least: f64,
        /// The largest value.
        most: f64,
    },
    /// `true` or `false`.
    Bool {
        /// The default.
        default: bool,
    },
    /// Any text.
    Text {
        /// `None`: the instance decides.
        default: Option<&'static str>,
    },
    /// One of several words.
    Choice {
        /// `None`: the instance decides.
        default: Option<&'static str>,
        /// The words.
        words: fn() -> Vec<&'static str>,
    },
}

/// A declared setting without its type: a row of a table.
#[derive(Debug, Clone, Copy)]
pub struct SettingInfo {
    /// The key in `--set key=value`.
    pub name: &'static str,
    /// What it does, with the unit.
    pub about: &'static str,
    /// The values that it takes.
    pub kind: Kind,
}

impl SettingInfo {
    /// The default as a person would type it; `None` if the instance decides.
    #[must_use]
    pub fn default(&self) -> Option<Value> {
        match self.kind {
            Kind::Int { default, .. } => default.map(Value::Int),
            Kind::Float { default, .. } => default.map(Value::Float),
            Kind::Bool { default } => Some(Value::Bool(default)),
            Kind::Text { default } | Kind::Choice { default, .. } => default.map(Value::parse),
        }
    }

    /// The values that it takes, in words: `a whole number from 0 to 100`.
    #[must_use]
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Int { least, most, .. } => format!("a whole number from {least} to {most}"),
            Kind::Float { least, most, .. } => format!("a number from {least} to {most}"),
            Kind::Bool { .. } => "true or false".to_owned(),
            Kind::Text { .. } => "text".to_owned(),
            Kind::Choice { words, .. } => format!("one of {}", words().join(", ")),
        }
    }

    /// Refuses a value of another kind or outside the range.
    ///
    /// # Errors
    /// Names the setting, the value and what was expected; of a word, the nearest one.
    pub fn check(&self, value: &Value) -> Result<(), InputError> {
        let is_right = match (self.kind, value) {
            (Kind::Int { least, most, .. }, Value::Int(value)) => (least..=most).contains(value),
            (Kind::Float { least, most, .. }, value) => value
                .number()
                .is_some_and(|number| (least..=most).contains(&number)),
            (Kind::Bool { .. }, Value::Bool(_)) | (Kind::Text { .. }, _) => true,
            (Kind::Choice { words, .. }, value) => words().contains(&value.to_string().as_str()),
            (Kind::Int { .. } | Kind::Bool { .. }, _) => false,
        };
        if is_right {
            return Ok(());
        }
        let near = match self.kind {
            Kind::Choice { words, .. } => nearest(&value.to_string(), words()),
            _ => None,
        };
        let near = near.map_or(String::new(), |near| format!(" (nearest: `{near}`)"));
        Err(InputError::new(format!(
            "setting `{}` is `{value}`, expected {}{near}",
            self.name,
            self.expected()
        )))
    }
}

/// An enumeration whose values have words.
pub trait Choice: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of this value.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(_, value)| *value == self)
            .map_or("", |(word, _)| word)
    }

    /// The value of `word`.
    #[must_use]
    fn of(word: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        words
            .find(|(known, _)| *known == word)
            .map(|(_, value)| *value)
    }
}

fn words<T: Choice>() -> Vec<&'static str> {
    T::WORDS.iter().map(|(word, _)| *word).collect()
}

/// A declared setting with its type. A constant; its table row is [`info`](Setting::info).
#[derive(Debug, Clone, Copy)]
pub struct Setting<T> {
    info: SettingInfo,
    /// The typed value of a checked one; of none where neither a value nor a default is there.
    read: fn(Option<&Value>) -> Option<T>,
}

impl<T> Setting<T> {
    /// Its row in a table of settings.
    #[must_use]
    pub const fn info(&self) -> SettingInfo {
        self.info
    }

    /// Its key.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// The same setting of whole numbers with a narrower range, as an instance allows it.
    #[must_use]
    pub fn within(self, range: RangeInclusive<i64>) -> Self {
        let kind = match self.info.kind {
            Kind::Int { default, .. } => Kind::Int {
                default,
                least: *range.start(),
                most: *range.end(),
            },
            other => other,
        };
        Self {
            info: SettingInfo { kind, ..self.info },
            ..self
        }
    }

    const fn new(
        name: &'static str,
        about: &'static str,
        kind: Kind,
        read: fn(Option<&Value>) -> Option<T>,
    ) -> Self {
        Self {
            info: SettingInfo { name, about, kind },
            read,
        }
    }
}

impl Setting<i64> {
    /// A whole number.
    #[must_use]
    pub const fn int(
        name: &'static str,
        default: i64,
        range: RangeInclusive<i64>,
        about: &'static str,
    ) -> Self {
        Self::new(name, about, whole(Some(default), range), as_int)
    }
}

impl Setting<usize> {
    /// A number of things.
    #[must_use]
    pub const fn count(
        name: &'static str,
        default: usize,
        range: RangeInclusive<usize>,
        about: &'static str,
    ) -> Self {
        let range = *range.start() as i64..=*range.end() as i64;
        Self::new(name, about, whole(Some(default as i64), range), as_count)
    }
}

impl Setting<Option<i64>> {
    /// A whole number that the instance decides where none is given.
    #[must_use]
    pub const fn optional_int(
        name: &'static str,
        range: RangeInclusive<i64>,
        about: &'static str,
    ) -> Self {
        Self::new(name, about, whole(None, range), |value| match value {
            None => Some(None),
            given => as_int(given).map(Some),
        })
    }
}

impl Setting<f64> {
    /// A number.
    #[must_use]
    pub const fn float(
        name: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
        about: &'static str,
    ) -> Self {
        let kind = decimal(Some(default), range);
        Self::new(name, about, kind, |value| value?.number())
    }
}

impl Setting<Option<f64>> {
    /// A number that the instance decides where none is given.
    #[must_use]
    pub const fn optional_float(
        name: &'static str,
        range: RangeInclusive<f64>,
        about: &'static str,
    ) -> Self {
        Self::new(name, about, decimal(None, range), |value| match value {
            None => Some(None),
            Some(value) => value.number().map(Some),
        })
    }
}

impl Setting<bool> {
    /// `true` or `false`.
    #[must_use]
    pub const fn bool(name: &'static str, default: bool, about: &'static str) -> Self {
        Self::new(name, about, Kind::Bool { default }, |value| match value? {
            Value::Bool(value) => Some(*value),
            _ => None,
        })
    }
}

impl Setting<String> {
    /// Any text.
    #[must_use]
    pub const fn text(name: &'static str, default: &'static str, about: &'static str) -> Self {
        let kind = Kind::Text {
            default: Some(default),
        };
        Self::new(name, about, kind, |value| Some(value?.to_string()))
    }
}

impl Setting<Option<String>> {
    /// Any text; the instance decides where none is given.
    #[must_use]
    pub const fn optional_text(name: &'static str, about: &'static str) -> Self {
        let kind = Kind::Text { default: None };
        Self::new(name, about, kind, |value| {
            Some(value.map(ToString::to_string))
        })
    }
}

impl<T: Choice> Setting<T> {
    /// One of the words of `T`, `default` among them.
    #[must_use]
    pub const fn choice(name: &'static str, default: &'static str, about: &'static str) -> Self {
        let kind = Kind::Choice {
            default: Some(default),
            words: words::<T>,
        };
        Self::new(name, about, kind, |value| T::of(&value?.to_string()))
    }
}

impl<T: Choice> Setting<Option<T>> {
    /// One of the words of `T`; the instance decides where none is given.
    #[must_use]
    pub const fn optional_choice(name: &'static str, about: &'static str) -> Self {
        let kind = Kind::Choice {
            default: None,
            words: words::<T>,
        };
        Self::new(name, about, kind, |value| match value {
            None => Some(None),
            Some(value) => T::of(&value.to_string()).map(Some),
        })
    }
}

const fn whole(default: Option<i64>, range: RangeInclusive<i64>) -> Kind {
    Kind::Int {
        default,
        least: *range.start(),
        most: *range.end(),
    }
}

const fn decimal(default: Option<f64>, range: RangeInclusive<f64>) -> Kind {
    Kind::Float {
        default,
        least: *range.start(),
        most: *range.end(),
    }
}

fn as_int(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Int(value) => Some(*value),
        _ => None,
    }
}

fn as_count(value: Option<&Value>) -> Option<usize> {
    usize::try_from(as_int(value)?).ok()
}

/// Values by name, in the order of their names, so that equal settings are written alike.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
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

    /// The value of `setting`: the one given, or its default.
    ///
    /// # Errors
    /// When the value is of another kind or outside the range.
    pub fn get<T>(&self, setting: &Setting<T>) -> Result<T, InputError> {
        let info = &setting.info;
        let value = self.0.get(info.name).cloned().or_else(|| info.default());
        if let Some(value) = &value {
            info.check(value)?;
        }
        (setting.read)(value.as_ref()).ok_or_else(|| {
            InputError::new(format!(
                "setting `{}` is missing, expected {}",
                info.name,
                info.expected()
            ))
        })
    }

    /// The value of `setting` if one was given, whatever its default.
    ///
    /// # Errors
    /// As [`get`](Settings::get).
    pub fn given<T>(&self, setting: &Setting<T>) -> Result<Option<T>, InputError> {
        match self.0.contains_key(setting.info.name) {
            true => self.get(setting).map(Some),
            false => Ok(None),
        }
    }

    /// The value given for `name`, whatever its kind.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
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
    pub fn only(&self, declared: &[SettingInfo]) -> Self {
        let known = |name: &str| declared.iter().any(|setting| setting.name == name);
        self.iter()
            .filter(|(name, _)| known(name))
            .map(|(name, value)| (name, value.clone()))
            .collect()
    }

    /// These values, and the defaults of the `declared` settings that have none. Equal settings come out equal: a whole
    /// number given where a decimal one is declared becomes decimal.
    #[must_use]
    pub fn with_defaults(&self, declared: &[SettingInfo]) -> Self {
        let mut all = self.clone();
        for setting in declared {
            let value = match (all.value(setting.name), setting.kind) {
                (None, _) => setting.default(),
                (Some(given), Kind::Float { .. }) => given.number().map(Value::Float),
                (Some(_), _) => None,
            };
            if let Some(value) = value {
                all.set(setting.name, value);
            }
        }
        all
    }

    /// Refuses a name that none of the `declared` tables knows.
    ///
    /// # Errors
    /// Names the unknown key, the nearest known one, and all known ones.
    pub fn check(&self, what: &str, declared: &[&[SettingInfo]]) -> Result<(), InputError> {
        let known = || declared.iter().flat_map(|table| table.iter());
        for name in self.0.keys() {
            if !known().any(|setting| setting.name == name) {
                let names = known().map(|setting| setting.name);
                return Err(unknown(&format!("setting of {what}"), name, names));
            }
        }
        Ok(())
    }
}

impl<'a> FromIterator<(&'a str, Value)> for Settings {
    fn from_iter<I: IntoIterator<Item = (&'a str, Value)>>(values: I) -> Self {
        let values = values.into_iter();
        Self(
            values
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Rule {
        Never,
        Always,
    }

    impl Choice for Rule {
        const WORDS: &'static [(&'static str, Self)] =
            &[("never", Self::Never), ("always", Self::Always)];
    }

    const STEPS: Setting<i64> = Setting::int("steps", 48, 0..=100, "number of steps");
    const WIDTH: Setting<usize> = Setting::count("width", 3, 1..=9, "columns");
    const TARGET: Setting<Option<i64>> = Setting::optional_int("target", 0..=100, "a vertex");
    const RATIO: Setting<f64> = Setting::float("ratio", 2.0, 0.5..=3.0, "a ratio");
    const LIMIT: Setting<Option<f64>> = Setting::optional_float("limit", 0.0..=1.0, "a limit");
    const RULE: Setting<Rule> = Setting::choice("rule", "never", "when");

    #[test]
    fn a_value_is_read_as_its_narrowest_kind() {
        assert_eq!(Value::parse("-3"), Value::Int(-3));
        assert_eq!(Value::parse("0.5"), Value::Float(0.5));
        assert_eq!(Value::parse("true"), Value::Bool(true));
        assert_eq!(Value::parse("1,2"), Value::Text("1,2".into()));
        assert_eq!(Value::parse("nan"), Value::Text("nan".into()));
    }

    #[test]
    fn values_stay_what_they_are_in_json() {
        let settings = Settings::from_iter([
            ("bool", Value::Bool(true)),
            ("int", Value::Int(-3)),
            ("float", Value::Float(1.0)),
            ("digits", Value::Text("12".into())),
        ]);
        let text = serde_json::to_string(&settings).expect("values have a form");
        let back: Settings = serde_json::from_str(&text).expect("and are read back");
        assert_eq!(back, settings);
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        let none = Settings::new();
        assert_eq!(none.get(&STEPS), Ok(48));
        assert_eq!(none.get(&WIDTH), Ok(3));
        assert_eq!(none.get(&TARGET), Ok(None));
        assert_eq!(none.get(&LIMIT), Ok(None));
        let whole = Settings::from_iter([("limit", Value::Int(1))]);
        assert_eq!(whole.get(&LIMIT), Ok(Some(1.0)));
        assert!(LIMIT.info().check(&Value::Float(1.5)).is_err());
        assert_eq!(none.get(&RATIO), Ok(2.0));
        assert_eq!(none.get(&RULE), Ok(Rule::Never));
        assert_eq!(none.given(&STEPS), Ok(None));
        let all = none.with_defaults(&[STEPS.info(), TARGET.info(), RATIO.info(), RULE.info()]);
        assert_eq!(all.to_string(), "ratio=2.0 rule=never steps=48");
    }

    #[test]
    fn what_is_given_must_be_of_its_kind_and_range() {
        let refused = |name: &'static str, value: &str| {
            let given = Settings::from_iter([(name, Value::parse(value))]);
            let refused = [
                given.get(&STEPS).err(),
                given.get(&TARGET.within(0..=3)).err(),
                given.get(&RATIO).err(),
                given.get(&RULE).err(),
            ];
            let error = refused.into_iter().flatten().next();
            error.expect("one of them refuses it").message
        };
        assert_eq!(
            refused("steps", "-1"),
            "setting `steps` is `-1`, expected a whole number from 0 to 100"
        );
        assert!(refused("target", "4").ends_with("expected a whole number from 0 to 3"));
        assert!(refused("ratio", "nan").ends_with("expected a number from 0.5 to 3"));
        assert!(refused("rule", "allways").ends_with("one of never, always (nearest: `always`)"));
        let given = Settings::from_iter([("rule", Value::parse("always"))]);
        assert_eq!(given.get(&RULE), Ok(Rule::Always));
        assert_eq!(Rule::Always.word(), "always");
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let given = Settings::from_iter([("step", Value::Int(1))]);
        let error = given.check("reach", &[&[STEPS.info(), TARGET.info()]]);
        let error = error.expect_err("unknown").to_string();
        assert_eq!(
            error,
            "unknown setting of reach `step`, did you mean `steps`? (known: steps, target)"
        );
    }
}
