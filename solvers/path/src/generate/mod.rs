//! Seeded maps, each with queries spread over the lengths of paths.

mod layout;
mod queries;

use ikeru_core::{Generator, InputError, Random, Setting, Settings};

use crate::GridPath;
use crate::instance::{Input, Instance, Query};
use crate::map::{Cell, LONGEST_SIDE, Map, Terrain};
use crate::question::{Question, UNITS};

const fn setting(name: &'static str, default: &'static str, about: &'static str) -> Setting {
    Setting {
        name,
        default,
        about,
    }
}

const WIDTH: Setting = setting("width", "256", "columns, 2 to 8192");
const HEIGHT: Setting = setting("height", "256", "rows, 2 to 8192");
const QUERIES: Setting = setting("queries", "100", "queries, 1 to 10000000");
const DENSITY: Setting = setting("density", "0.25", "share of blocked cells, 0 to 0.9");
const CORRIDOR: Setting = setting(
    "corridor",
    "4",
    "width of the corridors in cells, 1 to 1024",
);
const ROOM: Setting = setting("room", "16", "side of a room with its wall, 3 to 1024");
const FEATURE: Setting = setting(
    "feature",
    "32",
    "size of the largest hills and seas in cells, 2 to 4096",
);
const TRAVELLER: Setting = setting(
    "traveller",
    "grid",
    "the unit whose paths the queries are: grid, infantry, tank, ship, person or horse",
);

/// Every generator.
pub const ALL: &[Generator<GridPath>] = &[
    Generator {
        name: "path.article",
        about: "the article's worked example: rows 1 to 7, columns A to H, from B4 to H4",
        parameters: &[],
        generate: article,
    },
    Generator {
        name: "path.open",
        about: "nothing but plain ground",
        parameters: &[WIDTH, HEIGHT, QUERIES],
        generate: open,
    },
    Generator {
        name: "path.random",
        about: "cells blocked at random",
        parameters: &[WIDTH, HEIGHT, DENSITY, QUERIES],
        generate: random,
    },
    Generator {
        name: "path.maze",
        about: "a maze without loops, its corridors of one width",
        parameters: &[WIDTH, HEIGHT, CORRIDOR, QUERIES],
        generate: maze,
    },
    Generator {
        name: "path.rooms",
        about: "cell rooms, a door in most walls between two of them",
        parameters: &[WIDTH, HEIGHT, ROOM, QUERIES],
        generate: rooms,
    },
    Generator {
        name: "path.terrain",
        about: "smooth noise: sea, plain ground, forest, mountains from low to high",
        parameters: &[WIDTH, HEIGHT, FEATURE, TRAVELLER, QUERIES],
        generate: terrain,
    },
    Generator {
        name: "path.walled",
        about: "cells blocked at random and the goal walled in: one query without a path",
        parameters: &[WIDTH, HEIGHT, DENSITY],
        generate: walled,
    },
];

fn article(_: &Settings, _: &mut Random) -> Result<Instance, InputError> {
    crate::format::read(include_str!("article.txt"))
}

fn open(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let map = plain(settings)?;
    with_queries(map, Question::default(), settings, random)
}

fn random(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let map = scattered(settings, random)?;
    with_queries(map, Question::default(), settings, random)
}

fn maze(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = blocked(settings)?;
    let corridor = whole(settings, &CORRIDOR, 1..=1024)?;
    layout::maze(&mut map, corridor, random);
    with_queries(map, Question::default(), settings, random)
}

fn rooms(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = plain(settings)?;
    let side = whole(settings, &ROOM, 3..=1024)?;
    layout::rooms(&mut map, side, random);
    with_queries(map, Question::default(), settings, random)
}

fn terrain(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = plain(settings)?;
    let feature = whole(settings, &FEATURE, 2..=4096)?;
    layout::terrain(&mut map, feature, random);
    let traveller = settings.choice(&TRAVELLER, &UNITS)?.unwrap_or("grid");
    let unit = [("unit", ikeru_core::Value::parse(traveller))];
    let question = Question::default().with(&unit.into_iter().collect())?;
    with_queries(map, question, settings, random)
}

fn walled(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = scattered(settings, random)?;
    let start = Cell::new(0, 0);
    let goal = Cell::new(map.width() as u16 - 1, map.height() as u16 - 1);
    if map.width() < 4 || map.height() < 4 {
        return Err(InputError::new(
            "a goal is walled in on a map of 4×4 or more",
        ));
    }
    for (x, y) in [(1, 0), (1, 1), (0, 1)] {
        map.set(Cell::new(goal.x - x, goal.y - y), Terrain::Wall);
    }
    map.set(start, Terrain::Plain);
    map.set(goal, Terrain::Plain);
    let query = Query {
        bucket: 0,
        start,
        goal,
        published: None,
    };
    instance(map, vec![query], Question::default())
}

fn whole(
    settings: &Settings,
    setting: &Setting,
    range: std::ops::RangeInclusive<i64>,
) -> Result<usize, InputError> {
    // Every parameter here has a default.
    Ok(settings.int(setting, range)?.unwrap_or(0) as usize)
}

fn filled(settings: &Settings, terrain: Terrain) -> Result<Map, InputError> {
    let sides = 2..=LONGEST_SIDE as i64;
    let width = whole(settings, &WIDTH, sides.clone())?;
    let height = whole(settings, &HEIGHT, sides)?;
    Map::filled(width, height, terrain)
}

fn plain(settings: &Settings) -> Result<Map, InputError> {
    filled(settings, Terrain::Plain)
}

fn blocked(settings: &Settings) -> Result<Map, InputError> {
    filled(settings, Terrain::Wall)
}

fn scattered(settings: &Settings, random: &mut Random) -> Result<Map, InputError> {
    let mut map = plain(settings)?;
    let density = settings.float(&DENSITY, 0.0..=0.9)?.unwrap_or(0.0);
    layout::scatter(&mut map, density, random);
    Ok(map)
}

fn with_queries(
    map: Map,
    question: Question,
    settings: &Settings,
    random: &mut Random,
) -> Result<Instance, InputError> {
    let count = whole(settings, &QUERIES, 1..=10_000_000)?;
    let bare = instance(map, Vec::new(), question)?;
    let queries = queries::spread(&bare, count, random)?;
    instance(bare.map().clone(), queries, question)
}

fn instance(map: Map, scenario: Vec<Query>, question: Question) -> Result<Instance, InputError> {
    Instance::new(Input {
        map,
        map_name: "map".to_owned(),
        scenario,
        question,
    })
}
