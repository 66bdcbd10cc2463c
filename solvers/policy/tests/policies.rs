//! Policies: the game of every variant passes the referee, and figures that do not depend on time are close to those
//! of the thesis.

use ikeru_chain::{Board, Cell, Piece, PuyoColour, Size, resolve};
use ikeru_core::testing::settings;
use ikeru_core::{
    AnyInstance, Deadline, Direction, Ended, Incumbent, Problem, Random, Search, Settings, erase,
};
use ikeru_policy::matching::Contacts;
use ikeru_policy::policy::landing::{ContactTable, Landings};
use ikeru_policy::repertoire::Repertoire;
use ikeru_policy::templates::TemplateOptions;
use ikeru_policy::{Build, Versus};

/// The game that `build.sequence` or `versus.sequence` makes from `seed`, with the question `question`.
fn made<P: Problem>(seed: u64, question: &str) -> Box<dyn AnyInstance> {
    let generator = format!("{}.sequence", P::INFO.name);
    let game = erase::<P>().generate(&generator, &Settings::new(), seed);
    let asked = game.expect("a game").ask(&settings(question));
    asked.expect("a question")
}

/// The measures of the game that the variant plays.
fn measured(instance: &dyn AnyInstance, variant: &str, method: &str) -> Vec<(&'static str, f64)> {
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut solver = instance
        .prepare(variant, &settings(method), Deadline::never())
        .expect("a policy");
    solver.solve(&mut Search::new(&incumbent));
    assert_eq!(solver.ended(), Some(Ended::Solved), "{variant}");
    solver
        .referee(Deadline::never())
        .expect("an answer")
        .unwrap_or_else(|wrong| panic!("{variant}: {wrong}"))
        .measures
}

fn value(measures: &[(&'static str, f64)], name: &str) -> f64 {
    let found = measures.iter().find(|(known, _)| *known == name);
    found
        .unwrap_or_else(|| panic!("no measure {name} in {measures:?}"))
        .1
}

#[test]
fn every_policy_passes_the_referee() {
    for seed in [1, 2] {
        let game = made::<Build>(seed, "moves=40");
        for variant in ["random", "greedy", "potential", "combined"] {
            measured(&*game, variant, "");
        }
        for variant in ["potential", "combined"] {
            let rules = "value=any-colour shortest=7 free=14 enough=30";
            measured(&*game, variant, rules);
        }
        measured(&*game, "beam", "width=4 plies=5");
        for unseen in ["best", "mean", "worst"] {
            measured(&*game, "potential", &format!("depth=2 unseen={unseen}"));
        }
        let game = made::<Build>(seed, "goal=template border=hard completion=match");
        let letter = measured(&*game, "template", "");
        assert!(value(&letter, "regret_at_most") >= 0.0);
        assert!(value(&letter, "least_moves") >= 16.0);
        let game = made::<Build>(seed, "moves=40 goal=template");
        let least = value(&measured(&*game, "template", ""), "least_moves");
        assert!(least >= 16.0, "32 capitals need 16 pieces");
    }
}

#[test]
fn several_sets_have_measures_of_their_matches() {
    let game = made::<Build>(1, "moves=40 goal=template templates=stairs+sandwich");
    let both = measured(&*game, "template", "");
    assert_eq!(value(&both, "templates"), 22.0);
    // Only a clear can repair a violation, and few placements clear.
    let stays_dead = value(&both, "stays_dead");
    assert!((0.9..1.0).contains(&stays_dead), "{stays_dead}");
    let from = value(&both, "one_set_from");
    assert!((1.0..=value(&both, "placed")).contains(&from), "{from}");
    let one = made::<Build>(1, "moves=40 goal=template templates=domino");
    let one = measured(&*one, "template", "");
    assert_eq!(value(&one, "templates"), 1.0);
    assert!(!one.iter().any(|(name, _)| *name == "stays_dead"));
    let chain = made::<Build>(1, "moves=60 templates=stairs");
    assert_eq!(value(&measured(&*chain, "combined", ""), "built"), 1.0);
    assert_eq!(value(&measured(&*chain, "random", ""), "built"), 0.0);
    let deeper = measured(&*chain, "combined", "template_depth=1");
    assert_ne!(deeper, measured(&*chain, "combined", ""));
    let beyond = chain.prepare("combined", &settings("template_depth=4"), Deadline::never());
    let refusal = beyond.err().expect("refused").to_string();
    assert!(refusal.contains("beyond the visible pieces"), "{refusal}");
}

#[test]
fn puyos_above_the_top_row_vanish_where_the_rule_says_so() {
    let narrow = erase::<Build>().generate("build.sequence", &settings("width=3 height=5"), 1);
    let narrow = narrow.expect("a game");
    let play = |rule: &str, variant: &str| {
        let asked = narrow.ask(&settings(&format!("above_top={rule} moves=60")));
        let asked = asked.expect("a question");
        let text = asked.text();
        assert_eq!(
            text.contains("above_top: vanish"),
            rule == "vanish",
            "{text}"
        );
        measured(
            &*erase::<Build>().read(&text).expect("its own text"),
            variant,
            "",
        );
        measured(&*asked, variant, "")
    };
    for variant in ["random", "greedy", "potential"] {
        let (strict, free) = (play("illegal", variant), play("vanish", variant));
        assert_ne!(strict, free, "{variant}");
    }
    let game = made::<Build>(1, "above_top=vanish moves=40");
    measured(&*game, "combined", "");
    for variant in ["template-matrices", "beam"] {
        let refusal = game.prepare(variant, &Settings::new(), Deadline::never());
        let refusal = refusal.err().expect("refused").to_string();
        assert!(
            refusal.contains("knows only above_top=illegal"),
            "{refusal}"
        );
    }
}

#[test]
fn a_template_is_built_on_while_any_cell_is_free() {
    // Nothing can complete on a board whose cells are all filled but one; the game ends when it is full.
    let rows = "RGRGRG\nGRGRGR\n".repeat(6);
    let text = format!("seed: 1\nabove_top: vanish\n.GRGRG\n{rows}");
    let game = erase::<Build>().read(&text).expect("a game");
    let game = game.ask(&settings("goal=template moves=5"));
    let played = measured(&*game.expect("a question"), "template", "");
    assert!(value(&played, "placed") >= 1.0);
}

#[test]
fn inherited_violations_and_weights_by_kind_change_games_and_pass_the_referee() {
    let mut changed = 0;
    for seed in 1..=8 {
        let game = made::<Build>(seed, "goal=template templates=sandwich");
        let repaired = measured(&*game, "template", "depth=2");
        changed += usize::from(repaired != measured(&*game, "template", "depth=2 dead=inherited"));
        let other = made::<Build>(seed, "goal=template templates=sandwich weights=by-kind");
        changed += usize::from(repaired != measured(&*other, "template", "depth=2"));
    }
    assert!(changed > 4, "{changed}");
}

#[test]
fn pieces_of_a_match_part_at_the_first_clear() {
    let question = |shared: &str| format!("opponent=potential shared_pieces={shared}");
    let mut decided = 0.0;
    for seed in 1..=6 {
        let same = measured(&*made::<Versus>(seed, &question("always")), "potential", "");
        assert_eq!(value(&same, "draw"), 1.0, "two copies play alike");
        let parted = made::<Versus>(seed, &question("until-clear"));
        decided += 1.0 - value(&measured(&*parted, "potential", ""), "draw");
        let vanish = format!("{} above_top=vanish", question("until-clear"));
        measured(&*made::<Versus>(seed, &vanish), "combined", "");
    }
    assert!(decided >= 5.0, "{decided}");
    let listed = erase::<Versus>().read("pieces: RG RG RG RG RG\n");
    let refused = listed
        .expect("a match")
        .ask(&settings("turns=2 shared_pieces=until-clear"));
    assert!(refused.is_err_and(|error| error.message.contains("are listed")));
}

#[test]
fn a_guarantee_is_part_of_the_instance_and_none_changes_nothing() {
    for name in ["build.sequence", "versus.sequence"] {
        let text = |parameters: &str| match name {
            "build.sequence" => erase::<Build>().generate(name, &settings(parameters), 7),
            _ => erase::<Versus>().generate(name, &settings(parameters), 7),
        };
        let text = |parameters: &str| text(parameters).expect("a game").text();
        assert_eq!(text(""), text("guarantee=0"));
        assert!(!text("").contains("guarantee"));
        let with = text("guarantee=3");
        assert_eq!(with.replace("guarantee: 3\n", ""), text(""));
        assert_ne!(with, text("guarantee=2"));
    }
}

#[test]
fn templates_complete_in_about_as_many_moves_as_in_the_thesis() {
    let mut total = 0.0;
    for seed in 100..112 {
        let game = made::<Build>(seed, "goal=template");
        total += value(&measured(&*game, "template", ""), "moves_to_completion");
    }
    // The mean is 23.4 and the standard deviation of a game about 5, so the mean of twelve games has one of 1.5.
    assert!((19.0..28.0).contains(&(total / 12.0)), "{}", total / 12.0);
}

/// The referee finds by matrices the move at which the match reached the threshold.
#[test]
fn completion_by_the_match_passes_the_referee() {
    let mut moves = [0.0; 3];
    for seed in 100..106 {
        for (sum, threshold) in moves.iter_mut().zip([0.5, 0.9, 0.95]) {
            let question = format!("goal=template completion=match completion_match={threshold}");
            let game = made::<Build>(seed, &question);
            *sum += value(&measured(&*game, "template", ""), "moves_to_completion");
        }
    }
    assert!(moves[0] < moves[1] && moves[1] < moves[2], "{moves:?}");
}

#[test]
fn combined_switches_above_a_match() {
    let game = made::<Build>(3, "");
    // With threshold 0 it switches at the first match above 0; with threshold 1 it never switches before it gives up.
    let [early, late, usual] = ["0.0", "1.0", "0.9"]
        .map(|threshold| measured(&*game, "combined", &format!("switch_match={threshold}")));
    assert_ne!(early, late);
    assert!(value(&usual, "attack") > 0.0);
}

#[test]
fn a_seed_means_the_same_game_for_ever() {
    let game = made::<Build>(7, "");
    let text = game.text();
    let again = erase::<Build>().read(&text).expect("its own text");
    assert_eq!(again.hash(), game.hash());
    assert!(text.starts_with("colours: 4\nseed: "), "{text}");
    assert_ne!(made::<Build>(8, "").hash(), game.hash());
}

#[test]
fn matches_pass_the_referee() {
    for (seed, variant, opponent) in [(1, "potential", "greedy"), (2, "combined", "potential")] {
        let game = made::<Versus>(seed, &format!("opponent={opponent}"));
        let found = measured(&*game, variant, "");
        let sum: f64 = ["win", "loss", "draw"]
            .iter()
            .map(|name| value(&found, name))
            .sum();
        assert!((sum - 1.0).abs() < f64::EPSILON);
    }
}

#[test]
fn a_match_that_would_be_lost_after_its_last_turn_is_a_draw() {
    let question = |turns: usize| format!("opponent=greedy turns={turns}");
    let long = measured(&*made::<Versus>(1, &question(300)), "random", "");
    assert_eq!(value(&long, "draw"), 0.0, "somebody loses");
    let turns = value(&long, "turns_played") as usize;
    let short = measured(&*made::<Versus>(1, &question(turns)), "random", "");
    assert_eq!(value(&short, "draw"), 1.0);
    let enough = measured(&*made::<Versus>(1, &question(turns + 1)), "random", "");
    assert_eq!(value(&enough, "draw"), 0.0);
}

#[test]
fn chance_plays_both_sides_differently() {
    let game = made::<Versus>(1, "opponent=random");
    let solver = game.prepare("random", &Settings::new(), Deadline::never());
    let mut solver = solver.expect("a policy");
    let incumbent = Incumbent::new(Direction::Maximize);
    solver.solve(&mut Search::new(&incumbent));
    let answer = solver.answer_json().expect("an answer");
    assert_ne!(answer["placements"], answer["opponent_placements"]);
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let game = made::<Build>(1, "");
    let refusal = |question: &str| {
        game.ask(&settings(question))
            .err()
            .expect("refused")
            .message
    };
    assert!(refusal("goal=templates").contains("expected one of chain, template"));
    assert!(refusal("templates=stair").contains("did you mean `stairs`?"));
    assert!(refusal("templates=missing.txt").starts_with("template file `missing.txt`"));
    assert!(refusal("visible=0").contains("from 1 to 8"));
    assert!(refusal("completion_match=1.5").contains("from 0 to 1"));
    assert_eq!(
        refusal("completion_match=0.95"),
        "setting `completion_match` is given, expected `completion=match` beside it"
    );
    let three_colours = erase::<Versus>()
        .read("colours: 3\nseed: 1\n")
        .expect("a match");
    let refused = three_colours.ask(&settings("opponent=combined")).err();
    let message = refused.expect("refused").message;
    assert!(
        message.contains("cannot be coloured with 3 colours"),
        "{message}"
    );
}

#[test]
fn sequences_too_short_are_refused() {
    let game = erase::<Build>()
        .read("pieces: RG BY RR GG\n")
        .expect("a game");
    let refusal = |question: &str| {
        let asked = game.ask(&settings(question));
        asked.err().map(|error| error.message)
    };
    assert_eq!(refusal(""), None);
    assert_eq!(refusal("moves=4 visible=4"), None);
    assert_eq!(
        refusal("moves=5").as_deref(),
        Some("setting `moves` is 5, expected at most 4: no more pieces are listed")
    );
    assert_eq!(
        refusal("visible=5").as_deref(),
        Some("setting `visible` is 5, expected at most 4: no more pieces are listed")
    );
    let placed = value(&measured(&*game, "greedy", ""), "placed");
    assert!((placed - 4.0).abs() < f64::EPSILON, "{placed}");
}

#[test]
fn a_match_has_no_more_turns_than_pieces() {
    let game = erase::<Versus>()
        .read("pieces: RG BY RR GG\n")
        .expect("a match");
    let ask = |turns: u32| {
        let asked = game.ask(&settings(&format!("turns={turns}")));
        asked.err().map(|error| error.message)
    };
    assert_eq!(ask(4), None);
    assert_eq!(
        ask(5).as_deref(),
        Some("setting `turns` is 5, expected at most 4: no more pieces are listed")
    );
}

#[test]
fn a_game_begins_with_a_stable_field() {
    let refusal = erase::<Build>()
        .read("RRRR..\nseed: 1\n")
        .err()
        .expect("refused");
    assert_eq!(
        refusal.in_file("f"),
        "f: the field fires a chain of 1 as it stands, expected a stable one"
    );
}

#[test]
fn nobody_looks_beyond_the_visible_pieces() {
    let game = made::<Build>(1, "");
    for policy in ["potential", "template", "combined"] {
        let refused = |depth: u32| {
            let method = settings(&format!("depth={depth}"));
            let refusal = game.prepare(policy, &method, Deadline::never()).err();
            refusal.map(|refusal| format!("{refusal:?}"))
        };
        assert_eq!(refused(3), None, "{policy}");
        let message = refused(4).expect("refused");
        assert!(message.contains("expected 1 to 3 (visible=3)"), "{message}");
    }
}

#[test]
fn sets_joined_keep_their_order() {
    let named = |names| {
        Repertoire::named(names, &[], Size::THESIS, TemplateOptions::default(), 4)
            .expect("built-in sets")
    };
    assert_eq!(named("stairs").sets, [(1 << 10) - 1]);
    let both = named("stairs+sandwich");
    assert_eq!(both.sets, [(1 << 10) - 1, ((1 << 12) - 1) << 10]);
    assert_eq!(both.sets[0] | both.sets[1], both.matcher.all());
}

#[test]
fn landing_knows_what_vanishes() {
    let landings = Landings::new(Size::THESIS);
    let mut random = Random::new("test.landing", 1);
    let mut board = Board::empty(Size::THESIS);
    for _ in 0..3000 {
        let mut colour = || PuyoColour::new(random.index(4)).expect("a colour");
        let piece = Piece {
            axis: colour(),
            child: colour(),
        };
        let table = ContactTable::new(&board, piece);
        let mut legal = Vec::new();
        for landing in landings.of(piece) {
            assert_eq!(
                landing.cells(&board).is_some(),
                landing.placement.is_legal(&board)
            );
            let Some(cells) = landing.cells(&board) else {
                continue;
            };
            let mut after = board;
            after.place(piece, landing.placement);
            assert_eq!(after.heights(), &landing.heights(board.heights()));
            let mut contacts = Contacts::of(&board);
            let new = table.contacts(cells);
            contacts.vertical |= new.vertical;
            contacts.horizontal |= new.horizontal;
            assert_eq!(contacts, Contacts::of(&after), "{after}");
            let chain = resolve(&mut after);
            assert_eq!(
                table.vanishes(cells),
                chain.steps > 0,
                "{board}{piece} {}",
                landing.placement
            );
            assert!(!(table.never_vanishes() && table.vanishes(cells)));
            legal.push(after);
        }
        board = match legal.len() {
            0 => Board::empty(Size::THESIS),
            count => legal[random.index(count)],
        };
        if random.chance(0.1) && board.heights()[0] < 13 {
            board.drop(0, Cell::Garbage);
        }
    }
}
