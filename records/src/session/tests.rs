//! Tests of sessions, and the maps that tests of other modules use.

use super::*;

pub(crate) fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

pub(crate) fn session(number: u32, cpu: &str, binary: &str) -> Session {
    Session {
        number,
        binary: binary.to_owned(),
        machine: map(&[("cpu", cpu), ("cores", "2")]),
        versions: map(&[("ikeru", "0.1.0")]),
        ..Session::default()
    }
}

#[test]
fn the_first_difference_between_two_sessions_is_named() {
    let first = session(1, "one", "a");
    let differs = |second: &Session| {
        let difference = second.differs_from(&first);
        difference.map(|(name, ..)| name.to_owned())
    };
    assert_eq!(differs(&session(2, "one", "a")), None);
    assert_eq!(differs(&session(2, "two", "b")).as_deref(), Some("cpu"));
    let mut newer = session(2, "one", "b");
    assert_eq!(newer.differs_from(&first), Some(("binary", "a", "b")));
    let mut unhashed = first.clone();
    unhashed.binary.clear();
    assert_eq!(newer.differs_from(&unhashed), None);
    // A solver or a referee that only one session has is no difference.
    let with = |key: String, content: &str| {
        let mut session = first.clone();
        session.versions.insert(key, content.to_owned());
        session
    };
    for key in [Session::command("a"), Session::referee("p")] {
        let [one, other] = ["1", "2"].map(|content| with(key.clone(), content));
        assert_eq!(one.differs_from(&first), None);
        assert_eq!(first.differs_from(&one), None);
        // Another content of a command is another solver.
        let is_referee = key == Session::referee("p");
        let difference = is_referee.then_some((key.as_str(), "1", "2"));
        assert_eq!(other.differs_from(&one), difference);
    }
    assert_eq!(
        with("note".to_owned(), "1").differs_from(&with("note".to_owned(), "2")),
        None
    );
    newer.versions = map(&[("ikeru", "0.2.0")]);
    assert_eq!(
        newer.differs_from(&first),
        Some(("ikeru", "0.1.0", "0.2.0"))
    );
}
