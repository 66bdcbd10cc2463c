//! Flags together with the words that were typed for them, for a command line that a user copies.

use clap::{ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

/// A group of flags and the words of the command line that set them, without their defaults.
#[derive(Debug, Clone, Default)]
pub struct Typed<T> {
    /// The flags.
    pub flags: T,
    /// `--name=value` or `--name`, in the order of the declaration.
    pub words: Vec<String>,
}

impl<T: Args> Args for Typed<T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: Args> FromArgMatches for Typed<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let words = words::<T>(matches);
        let flags = T::from_arg_matches_mut(matches)?;
        Ok(Self { flags, words })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The words that set the flags of `T`.
fn words<T: Args>(matches: &ArgMatches) -> Vec<String> {
    let command = T::augment_args(Command::new("flags"));
    let mut words = Vec::new();
    for flag in command.get_arguments() {
        let id = flag.get_id().as_str();
        let (Some(name), Some(ValueSource::CommandLine)) =
            (flag.get_long(), matches.value_source(id))
        else {
            continue;
        };
        if !flag.get_action().takes_values() {
            words.push(format!("--{name}"));
            continue;
        }
        for occurrence in matches.get_raw_occurrences(id).into_iter().flatten() {
            let values: Vec<_> = occurrence.map(|value| value.to_string_lossy()).collect();
            words.push(match values.join(",") {
                none if none.is_empty() => format!("--{name}"),
                some => format!("--{name}={some}"),
            });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command::scope::Scope;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        typed: Typed<Scope>,
    }

    fn read(words: &[&str]) -> Typed<Scope> {
        let line = ["ikeru"].iter().chain(words);
        Line::try_parse_from(line).expect("a command line").typed
    }

    #[test]
    fn the_words_set_the_same_flags_again() {
        assert_eq!(read(&[]).words, [""; 0]);
        let typed = read(&[
            "--variant",
            "memo",
            "--variant",
            "flat 2",
            "--limit",
            "1500ms",
            "--isolate",
            "--memory=1GiB",
            "--skip-hopeless",
            "--repeats=7",
            "--mode=contended",
            "--set",
            "steps=1,2",
            "--seed=9",
            "--full",
        ]);
        let words: Vec<&str> = typed.words.iter().map(String::as_str).collect();
        assert!(
            words.contains(&"--variant=flat 2") && words.contains(&"--skip-hopeless"),
            "{words:?}"
        );
        assert_eq!(read(&words).flags, typed.flags);
        assert_eq!(read(&words).words, typed.words);
    }
}
