//! Inputs of past findings: each file of `corpus/` is examined as the fuzzer examines its inputs. A file is called
//! `KIND--WHAT.txt`; KIND is a problem's word, `answer-` and it, `certificate`, `drawings`, `experiment`,
//! `records` or `run`.

#[path = "../examples/adversary/configuration.rs"]
mod configuration;
#[path = "../examples/adversary/examine.rs"]
mod examine;
#[path = "../examples/adversary/inputs.rs"]
mod inputs;

use std::path::Path;

use examine::Budget;
use ikeru_core::Random;
use inputs::{Kind, Kinds};

/// Each text is asked and solved in several random ways.
const WAYS: u64 = 12;

#[test]
fn every_past_finding_is_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut examined = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (word, _) = name.split_once("--").expect("KIND--WHAT.txt");
        let kind = Kind::of_word(word).unwrap_or_else(|| panic!("{word} is no kind"));
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("read")).into_owned();
        for way in 0..WAYS {
            let random = &mut Random::new("corpus", way);
            let result = examine::examine(kind, &text, &mut Budget::new(None), random);
            assert!(result.is_ok(), "{name}, way {way}: {result:?}");
        }
        examined += 1;
    }
    assert!(examined > 0, "the corpus is empty");
}

#[test]
fn an_input_is_a_function_of_seed_and_number() {
    let kinds = Kinds::new(3, None);
    for number in 0..200 {
        let ((kind, text, _), (again, same, _)) = (kinds.input(3, number), kinds.input(3, number));
        assert_eq!((kind.word(), text), (again.word(), same));
    }
}
