//! Maps with published lengths, if they are available: in `IKERU_SHARED_DATA`, or in `../shared/data` next to the
//! repository.

use ikeru_core::testing::shared_file;
use ikeru_core::{Deadline, Problem};
use ikeru_path::instance::{Instance, MapInput};
use ikeru_path::{GridPath, read_scenario};

use crate::{ABSENT, checked, solve};

/// Every variant answers an even sample of rows, and the referee compares each length with the published one.
#[test]
fn every_variant_finds_the_published_lengths() {
    let Some(folder) = shared_file("path") else {
        return;
    };
    for map in ["arena2", "maze512-32-0", "random512-10-0"] {
        let read = |name: String| std::fs::read_to_string(folder.join(name)).expect("a file");
        let whole = read_scenario(
            &read(format!("{map}.map")),
            &read(format!("{map}.map.scen")),
        )
        .unwrap_or_else(|error| panic!("{}", error.in_file(map)));
        let variants = GridPath::VARIANTS.iter();
        for variant in variants.filter(|variant| !ABSENT.contains(&variant.name)) {
            let rows = match variant.name {
                "jps" | "jps-tables" | "jps-bounds" => 400,
                "heap" | "bucket" | "auto" => 40,
                _ => 3,
            };
            let every = whole.queries.len().div_ceil(rows);
            let sample = Instance::new(MapInput {
                scenario: whole.queries.iter().copied().step_by(every).collect(),
                ..whole.input.as_ref().clone()
            })
            .expect("some of its rows");
            let Some(answer) = solve(variant.name, &sample, "", 1) else {
                // It has 67,000 jump points.
                assert_eq!((variant.name, map), ("jps-bounds", "random512-10-0"));
                continue;
            };
            let checked = checked(&sample, &answer, Deadline::never())
                .unwrap_or_else(|wrong| panic!("{} on {map}: {wrong}", variant.name));
            let published = checked
                .measures
                .iter()
                .find(|(name, _)| *name == "published_checked");
            assert_eq!(published.expect("a measure").1, sample.queries.len() as f64);
        }
    }
}

#[test]
fn a_scenario_alone_opens_its_map() {
    let instance = crate::generate("path.rooms", "width=40 height=30 room=8 queries=20", 1);
    let map = ikeru_path::format::write_map(instance.map());
    let scenario =
        ikeru_path::format::write_scenario(&instance.input).replace("map", "maps/x/m.map");
    let open = |name: &str| match name {
        "m.map" => Ok(map.clone()),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    let read = (GridPath::EXTRAS.read_with)(&scenario, &open).expect("both files");
    assert_eq!(read.queries, instance.queries);
    let tenth = read.ask(&crate::settings("tenth=10")).expect("two rows");
    assert_eq!(*tenth.queries, instance.queries[18..]);
    let error = (GridPath::EXTRAS.read_with)(&scenario.replace("m.map", "n.map"), &open)
        .expect_err("no map");
    assert!(
        error.message.contains("cannot open the map `n.map`"),
        "{error}"
    );
}
