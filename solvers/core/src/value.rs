//! One value of a setting: a flag, a number or a text.

use std::fmt;

use serde::{Deserialize, Serialize};

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

    /// The value as a number; `None` for flags and text.
    pub(crate) fn number(&self) -> Option<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_its_narrowest_kind() {
        assert_eq!(Value::parse("-3"), Value::Int(-3));
        assert_eq!(Value::parse("0.5"), Value::Float(0.5));
        assert_eq!(Value::parse("true"), Value::Bool(true));
        assert_eq!(Value::parse("1,2"), Value::Text("1,2".into()));
        assert_eq!(Value::parse("nan"), Value::Text("nan".into()));
    }
}
