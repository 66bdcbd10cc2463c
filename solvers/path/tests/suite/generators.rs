//! A seed always gives the same instance, and a written instance can be read.

use ikeru_core::{ContentHash, Problem};
use ikeru_path::{GridPath, format};

use crate::{generate, settings};

const SMALL: [(&str, &str); 8] = [
    ("path.article", ""),
    ("path.open", "width=20 height=10 queries=5"),
    ("path.random", "width=30 height=20 density=0.3 queries=9"),
    ("path.maze", "width=31 height=21 corridor=2 queries=9"),
    ("path.rooms", "width=40 height=30 room=8 queries=9"),
    (
        "path.terrain",
        "width=40 height=30 feature=16 traveller=horse queries=9",
    ),
    (
        "path.roads",
        "width=40 height=30 feature=16 spacing=10 queries=9",
    ),
    ("path.walled", "width=20 height=20 density=0.2"),
];

#[test]
fn a_seed_means_the_same_instance_for_ever() {
    let hashes: Vec<String> = SMALL
        .iter()
        .map(|(generator, parameters)| {
            let text = GridPath::write(&generate(generator, parameters, 1));
            format!("{generator} {}", ContentHash::of(&[text.as_bytes()]))
        })
        .collect();
    let golden = [
        "path.article 402c8c071f23b04c13c29c325fd440c4",
        "path.open 612d3de735b04aee594313d5d950f465",
        "path.random efec751e178d6d232083c98a7c793189",
        "path.maze c704554a8f814393944d84c6bd90e1fc",
        "path.rooms b2d8da7b457c21f7ed4a7dd538ca68ac",
        "path.terrain 8e5105fec0658041cb7cfcbd4603b395",
        "path.roads fc75a8602aaf063876d803d0ed144d9e",
        "path.walled 668abf5516675e24a815bc8937eaff69",
    ];
    assert_eq!(hashes, golden);
}

#[test]
fn what_is_written_can_be_read() {
    for (generator, parameters) in SMALL {
        let instance = generate(generator, parameters, 2);
        let text = GridPath::write(&instance);
        let again = GridPath::read(&text).expect("its own text");
        assert_eq!(again.input, instance.input, "{generator}");
        assert_eq!(again.queries, instance.queries, "{generator}");
    }
}

#[test]
fn a_map_and_its_scenario_make_the_same_instance() {
    let instance = generate("path.rooms", "width=40 height=30 room=8 queries=9", 1);
    let map = format::write_map(instance.map());
    let scenario = format::write_scenario(&instance.input);
    let again = ikeru_path::read_scenario(&map, &scenario).expect("a pair of files");
    assert_eq!(again.input, instance.input);
    assert_eq!(format::named_map(&scenario), Some("map"));
    assert_eq!(format::named_map(&map), None);
}

#[test]
fn a_question_does_not_change_the_text() {
    let instance = generate("path.open", "width=20 height=10 queries=5", 1);
    let asked = instance
        .ask(&settings(
            "start=1,1 goal=5,5 corners=allow costs=tenths plain=2",
        ))
        .expect("a question");
    assert_eq!(GridPath::write(&asked), GridPath::write(&instance));
    assert_eq!(asked.queries.len(), 1);
}

#[test]
fn queries_are_spread_over_lengths() {
    let instance = generate("path.open", "width=100 height=100 queries=400", 1);
    let published: Vec<f64> = instance
        .queries
        .iter()
        .filter_map(|q| q.published)
        .collect();
    assert_eq!(published.len(), 400);
    let near = published.iter().filter(|length| **length < 30.0).count();
    let far = published.iter().filter(|length| **length > 60.0).count();
    assert!(near > 80 && far > 40, "{near} near, {far} far");
}
