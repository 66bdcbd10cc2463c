//! A declared setting: its key, its type, its default and range, and what it does.
//!
//! A setting is one constant, one line of [`settings!`](macro@crate::settings). Its row in a table is a
//! [`SettingInfo`], which has no type.

use std::ops::RangeInclusive;

use crate::{InputError, Value, nearest};

/// The values that a setting takes, with its default.
#[derive(Debug, Clone, Copy)]
pub enum SettingKind {
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
    /// The effect of the setting, with the unit.
    pub about: &'static str,
    /// The values that it takes.
    pub kind: SettingKind,
}

impl SettingInfo {
    /// The default as a person would type it; `None` if the instance decides.
    pub fn default(&self) -> Option<Value> {
        match self.kind {
            SettingKind::Int { default, .. } => default.map(Value::Int),
            SettingKind::Float { default, .. } => default.map(Value::Float),
            SettingKind::Bool { default } => Some(Value::Bool(default)),
            SettingKind::Text { default } | SettingKind::Choice { default, .. } => {
                default.map(Value::parse)
            }
        }
    }

    /// The values that it takes, in words: `a whole number from 0 to 100`.
    pub fn expected(&self) -> String {
        match self.kind {
            SettingKind::Int { least, most, .. } => {
                format!("a whole number from {least} to {most}")
            }
            SettingKind::Float { least, most, .. } => format!("a number from {least} to {most}"),
            SettingKind::Bool { .. } => "true or false".to_owned(),
            SettingKind::Text { .. } => "text".to_owned(),
            SettingKind::Choice { words, .. } => format!("one of {}", words().join(", ")),
        }
    }

    /// Refuses a value of another kind or outside the range.
    ///
    /// # Errors
    /// Names the setting, the value and what was expected; for a choice, also the nearest word.
    pub fn check(&self, value: &Value) -> Result<(), InputError> {
        let is_right = match (self.kind, value) {
            (SettingKind::Int { least, most, .. }, Value::Int(value)) => {
                (least..=most).contains(value)
            }
            (SettingKind::Float { least, most, .. }, value) => value
                .number()
                .is_some_and(|number| (least..=most).contains(&number)),
            (SettingKind::Bool { .. }, Value::Bool(_)) | (SettingKind::Text { .. }, _) => true,
            (SettingKind::Choice { words, .. }, value) => {
                words().contains(&value.to_string().as_str())
            }
            (SettingKind::Int { .. } | SettingKind::Bool { .. }, _) => false,
        };
        if is_right {
            return Ok(());
        }
        let near = match self.kind {
            SettingKind::Choice { words, .. } => nearest(&value.to_string(), words()),
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
    pub(crate) info: SettingInfo,
    /// Converts a checked value to its type. The argument is `None` if there is neither a value nor a default.
    pub(crate) read: fn(Option<&Value>) -> Option<T>,
}

impl<T> Setting<T> {
    /// Its row in a table of settings.
    pub const fn info(&self) -> SettingInfo {
        self.info
    }

    /// Its key.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// The same setting of whole numbers with a narrower range, as an instance allows it.
    pub fn within(self, range: RangeInclusive<i64>) -> Self {
        let kind = match self.info.kind {
            SettingKind::Int { default, .. } => SettingKind::Int {
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

    const fn of_kind(
        name: &'static str,
        about: &'static str,
        kind: SettingKind,
        read: fn(Option<&Value>) -> Option<T>,
    ) -> Self {
        Self {
            info: SettingInfo { name, about, kind },
            read,
        }
    }
}

/// Settings of whole numbers.
macro_rules! whole_numbers {
    ($($number:ty)+) => {$(
        impl Setting<$number> {
            /// A whole number in `range`.
            pub const fn new(
                name: &'static str,
                default: $number,
                range: RangeInclusive<$number>,
                about: &'static str,
            ) -> Self {
                let default = Some(default as i64);
                let (least, most) = (*range.start() as i64, *range.end() as i64);
                let kind = SettingKind::Int { default, least, most };
                Self::of_kind(name, about, kind, |value| whole(value?)?.try_into().ok())
            }
        }

        impl Setting<Option<$number>> {
            /// An optional whole number in `range`; if it is not given, the instance decides.
            pub const fn new(
                name: &'static str,
                range: RangeInclusive<$number>,
                about: &'static str,
            ) -> Self {
                let (least, most) = (*range.start() as i64, *range.end() as i64);
                let kind = SettingKind::Int { default: None, least, most };
                Self::of_kind(name, about, kind, |value| {
                    optional(value, |value| whole(value)?.try_into().ok())
                })
            }
        }
    )+};
}

whole_numbers!(i64 u32 u64 usize);

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        _ => None,
    }
}

/// Reads a value, if there is one.
fn optional<T>(value: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

impl Setting<f64> {
    /// A number in `range`.
    pub const fn new(
        name: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
        about: &'static str,
    ) -> Self {
        let kind = decimal(Some(default), range);
        Self::of_kind(name, about, kind, |value| value?.number())
    }
}

impl Setting<Option<f64>> {
    /// An optional number in `range`; if it is not given, the instance decides.
    pub const fn new(name: &'static str, range: RangeInclusive<f64>, about: &'static str) -> Self {
        let kind = decimal(None, range);
        Self::of_kind(name, about, kind, |value| optional(value, Value::number))
    }
}

const fn decimal(default: Option<f64>, range: RangeInclusive<f64>) -> SettingKind {
    let (least, most) = (*range.start(), *range.end());
    SettingKind::Float {
        default,
        least,
        most,
    }
}

impl Setting<bool> {
    /// `true` or `false`.
    pub const fn new(name: &'static str, default: bool, about: &'static str) -> Self {
        let kind = SettingKind::Bool { default };
        Self::of_kind(name, about, kind, |value| match value? {
            Value::Bool(value) => Some(*value),
            _ => None,
        })
    }
}

impl Setting<String> {
    /// Any text.
    pub const fn new(name: &'static str, default: &'static str, about: &'static str) -> Self {
        let default = Some(default);
        let kind = SettingKind::Text { default };
        Self::of_kind(name, about, kind, |value| Some(value?.to_string()))
    }
}

impl Setting<Option<String>> {
    /// Any text; if it is not given, the instance decides.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        let kind = SettingKind::Text { default: None };
        Self::of_kind(name, about, kind, |value| {
            Some(value.map(ToString::to_string))
        })
    }
}

impl<T: Choice> Setting<T> {
    /// One of the words of `T`, `default` among them.
    pub const fn new(name: &'static str, default: &'static str, about: &'static str) -> Self {
        let (default, words) = (Some(default), words::<T>);
        let kind = SettingKind::Choice { default, words };
        Self::of_kind(name, about, kind, |value| T::of(&value?.to_string()))
    }
}

impl<T: Choice> Setting<Option<T>> {
    /// One of the words of `T`; if it is not given, the instance decides.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        let (default, words) = (None, words::<T>);
        let kind = SettingKind::Choice { default, words };
        Self::of_kind(name, about, kind, |value| {
            optional(value, |value| T::of(&value.to_string()))
        })
    }
}
