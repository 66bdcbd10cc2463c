//! A part of a run's questions, for runs on several machines.

use std::collections::HashSet;
use std::num::NonZero;
use std::str::FromStr;

use ikeru_core::ContentHash;

/// The part of all questions that a run answers. A question is in the same part everywhere, with all its variants, so
/// that they run on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionPart {
    /// One of several parts of about equally many questions, from 0: `2/5` is the second of five.
    Equal(u32, NonZero<u32>),
    /// These questions.
    Listed(HashSet<ContentHash>),
}

impl QuestionPart {
    /// Returns whether the question belongs to this part.
    pub fn holds(&self, question: ContentHash) -> bool {
        match self {
            Self::Equal(part, parts) => question.part_of(*parts) == *part,
            Self::Listed(questions) => questions.contains(&question),
        }
    }
}

impl FromStr for QuestionPart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (number, parts) = text.split_once('/')?;
            let (number, parts): (u32, NonZero<u32>) = (number.parse().ok()?, parts.parse().ok()?);
            let part = number.checked_sub(1)?;
            (part < parts.get()).then_some(Self::Equal(part, parts))
        };
        read().ok_or_else(|| "expected which of how many, like 2/5".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_in_exactly_one_part() {
        let shards: Vec<QuestionPart> = (1..=3)
            .map(|number| format!("{number}/3").parse().expect("a shard"))
            .collect();
        let mut counts = [0; 3];
        for question in 0_u32..300 {
            let question = ContentHash::of(&[&question.to_le_bytes()]);
            let holds: Vec<usize> = (0..3).filter(|at| shards[*at].holds(question)).collect();
            assert_eq!(holds.len(), 1);
            counts[holds[0]] += 1;
        }
        assert!(counts.iter().all(|count| *count > 70), "{counts:?}");
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["0/3", "4/3", "1/0", "1", "/", "1/3/5", "a/b", "-1/3"] {
            assert!(text.parse::<QuestionPart>().is_err(), "{text}");
        }
        assert!("1/1".parse::<QuestionPart>().is_ok());
    }
}
