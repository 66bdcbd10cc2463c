use super::*;

pub(crate) fn about(shards: u32) -> About {
    About {
        name: "table".to_owned(),
        program: "/opt/ikeru".to_owned(),
        shards,
        questions: shards as usize,
        give_up_after: 5,
        isolated: false,
        share_nodes: false,
        data: None,
        planned: toml::Table::new(),
    }
}

fn question(number: u32) -> ShardQuestion {
    ShardQuestion {
        question: ContentHash::of(&[&number.to_le_bytes()]),
        samples: 3,
        expected: Duration::from_millis(1500),
    }
}

/// A campaign with a question in each shard.
pub(crate) fn divided(folder: &Path, shards: u32) -> Divided {
    let questions = (1..=shards).map(|number| vec![question(number)]);
    Divided::create(folder, about(shards), questions.collect()).expect("created")
}

#[test]
fn a_campaign_comes_back_and_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = divided(folder.path(), 3);
    let read = Divided::read(folder.path()).expect("read");
    assert_eq!((&read.about, &read.shards), (&made.about, &made.shards));
    assert_eq!(
        read.questions(2).expect("there"),
        HashSet::from([question(2).question])
    );
    let error = read.questions(4).expect_err("no such shard").to_string();
    assert!(error.contains("no shard 4; expected 1 to 3"), "{error}");
    let again = Divided::create(folder.path(), about(1), vec![vec![question(1)]]);
    assert!(again.is_err_and(|error| error.to_string().contains("holds a campaign already")));
    // A creation that was killed begins again; a folder of other files is left alone.
    let create = || Divided::create(folder.path(), about(1), vec![vec![question(1)]]);
    std::fs::remove_file(folder.path().join(ABOUT)).expect("removed");
    assert!(create().is_ok());
    std::fs::remove_file(folder.path().join(ABOUT)).expect("removed");
    std::fs::remove_dir(folder.path().join("shards")).expect("removed");
    let error = create().expect_err("refused").to_string();
    assert!(error.contains("other files, such as shards.csv"), "{error}");
}

#[test]
fn a_plan_with_other_questions_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let divided = divided(folder.path(), 2);
    let all = |numbers: &[u32]| {
        divided.check(
            &numbers
                .iter()
                .map(|number| question(*number).question)
                .collect(),
        )
    };
    assert!(all(&[1, 2]).is_ok());
    let more = all(&[1, 2, 3]).expect_err("one more").to_string();
    assert!(more.contains("is not in shards.csv"), "{more}");
    let fewer = all(&[1]).expect_err("one less").to_string();
    assert!(fewer.contains("is not asked any more"), "{fewer}");
}

#[test]
fn a_list_of_shards_that_was_cut_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    divided(folder.path(), 2);
    let path = folder.path().join(SHARDS);
    let text = std::fs::read_to_string(&path).expect("text");
    for lines in [1, 2] {
        let cut: Vec<&str> = text.lines().take(lines).collect();
        std::fs::write(&path, cut.join("\n")).expect("written");
        let error = Divided::read(folder.path()).expect_err("refused");
        assert!(error.to_string().contains("expected 2"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn links_in_a_campaign_are_refused() {
    let (folder, elsewhere) = (tempfile::tempdir(), tempfile::tempdir());
    let (folder, elsewhere) = (folder.expect("a folder"), elsewhere.expect("a folder"));
    divided(folder.path(), 1);
    let shard = folder.path().join("shards/0001");
    for link in [shard, folder.path().join(JOBS)] {
        std::os::unix::fs::symlink(elsewhere.path(), &link).expect("linked");
        let error = Divided::read(folder.path()).expect_err("refused");
        assert!(error.to_string().contains("is a link"), "{error}");
        std::fs::remove_file(link).expect("removed");
    }
    Divided::read(folder.path()).expect("read");
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |word: &str| {
        let error = format!("{:#}", Divided::read(folder.path()).expect_err("refused"));
        assert!(error.contains(word), "{error}");
    };
    refused("no divided campaign");
    divided(folder.path(), 2);
    let path = folder.path().join(SHARDS);
    let text = std::fs::read_to_string(&path).expect("text");
    std::fs::write(&path, text.replace("\n2,", "\n9,")).expect("written");
    refused("shards.csv:3: shard 9, expected 1 to 2");
    std::fs::write(&path, text.replace("\n2,", "\nx,")).expect("written");
    refused("shards.csv:3");
    std::fs::write(folder.path().join(ABOUT), "name = \"a\"\nshards = -1\n").expect("written");
    refused("campaign.toml:2");
}
