//! The contents of a label: after a variant's program changed, or its version rose, the same questions are answered by
//! another solver. The present contents count; the rows of the others leave every table, and can be compared by their number.

use std::collections::BTreeMap;

use super::Rows;
use crate::session::Session;

/// The contents of a label in one session: variant, version, content of its command, and content of the problem's referee. The
/// last two are empty where there is no command.
type ContentsKey = [String; 4];

/// The rows of a label in one session, with the session's number.
type Part = (u32, ContentsKey, Vec<u32>);

impl Rows {
    /// Leaves out the rows of a label whose variant, version, command or referee is not the present one, that of the last
    /// session that had the label. A session has one content of each, so that rows of different questions are distinguished too.
    /// A program that is as it was in an earlier session takes up the rows of that session.
    pub(crate) fn supersede(&mut self, sessions: &[Session]) {
        let all = self.all();
        if !self.has("session") || self.distinct("session", &all).len() < 2 {
            return;
        }
        let by_number: BTreeMap<u32, &Session> =
            sessions.iter().map(|one| (one.number, one)).collect();
        let content = |session: u32, key: String| {
            let known = by_number.get(&session)?.versions.get(&key)?;
            Some(known.as_str())
        };
        let by = [
            "experiment",
            "label",
            "problem",
            "variant",
            "variant_version",
            "session",
        ];
        let mut labels: BTreeMap<[&str; 3], Vec<Part>> = BTreeMap::new();
        for own in self.group_by(&by, &all) {
            let [experiment, label, problem, variant, version, _] =
                by.map(|column| self.text(column, own[0]));
            let session = self.number("session", own[0]).unwrap_or(0.0) as u32;
            let [command, referee] = [Session::command(variant), Session::referee(problem)]
                .map(|key| content(session, key).unwrap_or_default());
            let key = [variant, version, command, referee].map(str::to_owned);
            let known = labels.entry([experiment, label, problem]).or_default();
            known.push((session, key, own));
        }
        let mut earlier: BTreeMap<String, Vec<Vec<u32>>> = BTreeMap::new();
        for ([_, label, problem], mut parts) in labels {
            parts.sort_by_key(|(session, ..)| *session);
            let is_of = |session: u32, [variant, _, command, referee]: &ContentsKey| {
                content(session, Session::command(variant)) == Some(command)
                    && content(session, Session::referee(problem)).unwrap_or_default() == referee
            };
            // The last session may have found all samples there.
            let last = by_number.keys().rev().find_map(|session| {
                let mut known = parts.iter();
                known.find(|(taken, key, _)| taken == session || is_of(*session, key))
            });
            let Some(present) = last.or(parts.last()).map(|(_, key, _)| key.clone()) else {
                continue;
            };
            let mut others: Vec<(ContentsKey, Vec<u32>)> = Vec::new();
            for (_, key, own) in parts.into_iter().filter(|(_, key, _)| *key != present) {
                match others.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, rows)) => rows.extend(own),
                    None => others.push((key, own)),
                }
            }
            for (at, (_, mut rows)) in others.into_iter().enumerate() {
                let known = earlier.entry(label.to_owned()).or_default();
                known.resize(known.len().max(at + 1), Vec::new());
                known[at].append(&mut rows);
                known[at].sort_unstable();
            }
        }
        if earlier.is_empty() {
            return;
        }
        let mut gone: Vec<u32> = earlier.values().flatten().flatten().copied().collect();
        gone.sort_unstable();
        let mut count = all;
        count.retain(|row| gone.binary_search(row).is_err());
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
    use super::*;

    /// The rows of samples (label, session, question), where `b` has these contents in sessions 1, 2, …, as a command or by a
    /// referee.
    fn rows_of(taken: &[(&str, u32, &str)], contents: &[&str], key: &str) -> Rows {
        let mut text =
            "schema,experiment,label,problem,variant,variant_version,session,question\n".to_owned();
        for (label, session, question) in taken {
            text += &format!("1,e,{label},p,{label},0,{session},{question}\n");
        }
        let sessions = contents.iter().zip(1..).map(|(content, number)| Session {
            number,
            versions: [(key.to_owned(), (*content).to_owned())].into(),
            ..Session::default()
        });
        let mut rows = Rows::of_table(&text);
        rows.supersede(&sessions.collect::<Vec<_>>());
        rows
    }

    fn rows(taken: &[(&str, u32, &str)], contents: &[&str]) -> Rows {
        rows_of(taken, contents, &Session::command("b"))
    }

    #[test]
    fn another_referee_judges_anew() {
        let taken = [
            ("a", 1, "q1"),
            ("b", 1, "q1"),
            ("a", 2, "q2"),
            ("b", 2, "q2"),
        ];
        let all = rows_of(&taken, &["one", "two"], &Session::referee("p"));
        assert_eq!(all.all(), [2, 3]);
        assert_eq!(all.earlier("a"), [vec![0]]);
    }

    #[test]
    fn the_present_contents_of_a_label_count() {
        let taken = [
            ("a", 1, "q1"),
            ("b", 1, "q1"),
            ("b", 1, "q2"),
            ("b", 2, "q1"),
            ("a", 2, "q2"),
        ];
        let all = rows(&taken, &["one", "two"]);
        assert_eq!(all.all(), [0, 3, 4]);
        assert_eq!(all.with("label", "b"), [3]);
        assert_eq!(all.earlier("b"), [vec![1, 2]]);
        assert_eq!(all.superseded().collect::<Vec<_>>(), [("b", 2)]);
        assert!(all.earlier("a").is_empty());
        let third = rows(
            &[&taken[..], &[("b", 3, "q1")]].concat(),
            &["one", "two", "three"],
        );
        assert_eq!(third.earlier("b"), [vec![1, 2], vec![3]]);
        assert_eq!(third.with("label", "b"), [5]);
    }

    #[test]
    fn rows_of_questions_that_the_earlier_program_was_not_asked_are_of_their_session() {
        // The second program was killed early; the third one begins with questions that only the first one had.
        let taken = [
            ("b", 1, "q1"),
            ("b", 1, "q2"),
            ("b", 2, "q1"),
            ("b", 3, "q2"),
            ("b", 4, "q1"),
        ];
        let all = rows(&taken, &["one", "two", "three", "three"]);
        assert_eq!(all.with("label", "b"), [3, 4]);
        assert_eq!(all.earlier("b"), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_program_that_is_as_it_was_takes_up_its_rows() {
        let taken = [("b", 1, "q1"), ("b", 2, "q1")];
        let back = rows(&taken, &["one", "two", "one"]);
        assert_eq!(back.with("label", "b"), [0]);
        assert_eq!(back.earlier("b"), [vec![1]]);
    }
}
