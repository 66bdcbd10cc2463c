//! Named values, from `--set key=value` and from an experiment's tables.
//!
//! A problem, a variant and a generator each list their settings as a table of [`SettingInfo`]. [`Settings`] holds the
//! values that were given; [`Settings::get`] reads one with its type and falls back to its default.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::setting::SettingKind;
use crate::{InputError, Setting, SettingInfo, Value, unknown};

/// Values sorted by name, so that equal settings are written as equal text.
///
/// A sorted list takes less memory than a map: a plan has two `Settings` for each cell, and a node of a map has room
/// for eleven values when there are two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, Value>", into = "BTreeMap<String, Value>")]
pub struct Settings(Vec<(Box<str>, Value)>);

impl Settings {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `name` to `value`, replacing its previous value.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        let name = name.into();
        match self.place(&name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => {
                self.0.reserve_exact(1);
                self.0.insert(at, (name.into(), value));
            }
        }
    }

    /// The index of a name, or the index at which it would be inserted.
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// The value of `setting`: the one given, or its default.
    ///
    /// # Errors
    /// When the value is of another kind or outside the range.
    pub fn get<T>(&self, setting: &Setting<T>) -> Result<T, InputError> {
        let info = &setting.info;
        let value = self.value(info.name).cloned().or_else(|| info.default());
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

    /// The value of `setting` if one was given; the default is ignored.
    ///
    /// # Errors
    /// As [`get`](Settings::get).
    pub fn given<T>(&self, setting: &Setting<T>) -> Result<Option<T>, InputError> {
        let given = self.value(setting.info.name);
        given.map(|_| self.get(setting)).transpose()
    }

    /// Replaces `value` by that of `setting`, a `Setting<T>` or `Setting<Option<T>>`, if one was given.
    ///
    /// # Errors
    /// As [`get`](Settings::get).
    pub fn change<T, S>(&self, setting: &Setting<S>, value: &mut T) -> Result<(), InputError>
    where
        S: Into<Option<T>>,
    {
        if let Some(given) = self.given(setting)?.and_then(Into::into) {
            *value = given;
        }
        Ok(())
    }

    /// The value given for `name`, of any kind.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    /// All values in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns whether no value was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Only the values whose names `declared` knows.
    pub fn only(&self, declared: &[SettingInfo]) -> Self {
        self.filtered(|name| declared.iter().any(|setting| setting.name == name))
    }

    /// Only the values whose names are to be kept.
    pub fn filtered(&self, is_kept: impl Fn(&str) -> bool) -> Self {
        let kept = self.iter().filter(|(name, _)| is_kept(name));
        kept.map(|(name, value)| (name, value.clone())).collect()
    }

    /// These values, overridden by those of `others`.
    pub fn with(mut self, others: &Self) -> Self {
        for (name, value) in others.iter() {
            self.set(name, value.clone());
        }
        self
    }

    /// The given values and, for the other `declared` settings, their defaults. A whole number given for a decimal
    /// setting becomes decimal, so that equal settings are equal values.
    pub fn with_defaults(&self, declared: &[SettingInfo]) -> Self {
        let mut all = self.clone();
        for setting in declared {
            let value = match (all.value(setting.name), setting.kind) {
                (None, _) => setting.default(),
                (Some(given), SettingKind::Float { .. }) => given.number().map(Value::Float),
                (Some(_), _) => None,
            };
            if let Some(value) = value {
                all.set(setting.name, value);
            }
        }
        all
    }

    /// Refuses a name that is in none of the `declared` tables.
    ///
    /// # Errors
    /// Names the unknown key, the nearest known one, and all known ones.
    pub fn check(&self, what: &str, declared: &[&[SettingInfo]]) -> Result<(), InputError> {
        let known = || declared.iter().flat_map(|table| table.iter());
        for (name, _) in self.iter() {
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
        let mut settings = Self::new();
        for (name, value) in values {
            settings.set(name, value);
        }
        settings
    }
}

impl From<BTreeMap<String, Value>> for Settings {
    fn from(map: BTreeMap<String, Value>) -> Self {
        let values = map.into_iter();
        Self(values.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl From<Settings> for BTreeMap<String, Value> {
    fn from(settings: Settings) -> Self {
        let values = settings.0.into_iter();
        values.map(|(name, value)| (name.into(), value)).collect()
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
    use crate::Choice;

    crate::choices! {
        enum Rule { Never = "never", Always = "always" }
    }

    crate::settings! {
        STEPS: i64 = "steps", 48, 0..=100, "number of steps";
        WIDTH: usize = "width", 3, 1..=9, "columns";
        TARGET: Option<i64> = "target", 0..=100, "a vertex";
        RATIO: f64 = "ratio", 2.0, 0.5..=3.0, "a ratio";
        LIMIT: Option<f64> = "limit", 0.0..=1.0, "a limit";
        RULE: Rule = "rule", "never", "when";
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
