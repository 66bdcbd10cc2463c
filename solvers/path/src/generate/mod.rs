//! Seeded maps, with queries spread over the lengths of paths.

mod layout;
mod queries;

use ikeru_core::{Generator, InputError, Random, Settings, generators, refuse, settings};

use crate::GridPath;
use crate::instance::{Instance, MapInput, Query};
use crate::map::{Cell, LONGEST_SIDE, Terrain, TerrainMap};
use crate::question::{Question, Traveller};

const SIDES: std::ops::RangeInclusive<usize> = 2..=LONGEST_SIDE;

settings! {
    WIDTH: usize = "width", 256, SIDES, "columns";
    HEIGHT: usize = "height", 256, SIDES, "rows";
    QUERIES: usize = "queries", 100, 1..=10_000_000, "queries";
    DENSITY: f64 = "density", 0.25, 0.0..=0.9, "share of blocked cells";
    CORRIDOR: usize = "corridor", 4, 1..=1024, "width of the corridors in cells";
    ROOM: usize = "room", 16, 3..=1024, "side of a room with its wall";
    FEATURE: usize = "feature", 32, 2..=4096, "size of the largest hills and seas in cells";
    SPACING: usize = "spacing", 16, 2..=4096, "cells to a road, across and down";
    TRAVELLER: Traveller = "traveller", "grid", "the unit whose paths the queries are";
}

/// Every generator.
pub const ALL: &[Generator<GridPath>] = generators! {
    "path.article" () article, "the article's worked example: rows 1 to 7, columns A to H, from B4 to H4";
    "path.zigzag" () zigzag, "a zigzag of diagonal steps beside a straight way around: which is shorter depends on the length of a diagonal step";
    "path.open" (WIDTH HEIGHT QUERIES) open, "nothing but plain ground";
    "path.random" (WIDTH HEIGHT DENSITY QUERIES) random, "cells blocked at random";
    "path.maze" (WIDTH HEIGHT CORRIDOR QUERIES) maze, "a maze without loops, its corridors of one width";
    "path.rooms" (WIDTH HEIGHT ROOM QUERIES) rooms, "cell rooms, a door in most walls between two of them";
    "path.terrain" (WIDTH HEIGHT FEATURE TRAVELLER QUERIES) terrain, "smooth noise: sea, plain ground, forest, mountains from low to high";
    "path.roads" (WIDTH HEIGHT FEATURE SPACING QUERIES) roads, "plain ground with swamps, and roads from side to side";
    "path.walled" (WIDTH HEIGHT DENSITY) walled, "cells blocked at random and the goal walled in: one query without a path";
};

fn article(_: &Settings, _: &mut Random) -> Result<Instance, InputError> {
    crate::format::read(include_str!("article.txt"))
}

fn zigzag(_: &Settings, _: &mut Random) -> Result<Instance, InputError> {
    crate::format::read(include_str!("zigzag.txt"))
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
    let corridor = settings.get(&CORRIDOR)?;
    layout::maze(&mut map, corridor, random);
    with_queries(map, Question::default(), settings, random)
}

fn rooms(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = plain(settings)?;
    let side = settings.get(&ROOM)?;
    layout::rooms(&mut map, side, random);
    with_queries(map, Question::default(), settings, random)
}

fn terrain(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = plain(settings)?;
    let feature = settings.get(&FEATURE)?;
    layout::terrain(&mut map, feature, random);
    let question = Question::of_unit(settings.get(&TRAVELLER)?);
    with_queries(map, question, settings, random)
}

fn roads(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = plain(settings)?;
    let (feature, spacing) = (settings.get(&FEATURE)?, settings.get(&SPACING)?);
    layout::roads(&mut map, feature, spacing, random);
    with_queries(map, Question::default(), settings, random)
}

fn walled(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let mut map = scattered(settings, random)?;
    let start = Cell::new(0, 0);
    let goal = Cell::new(map.width() as u16 - 1, map.height() as u16 - 1);
    if map.width() < 4 || map.height() < 4 {
        refuse!("a goal is walled in on a map of 4×4 or more");
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

fn filled(settings: &Settings, terrain: Terrain) -> Result<TerrainMap, InputError> {
    TerrainMap::filled(settings.get(&WIDTH)?, settings.get(&HEIGHT)?, terrain)
}

fn plain(settings: &Settings) -> Result<TerrainMap, InputError> {
    filled(settings, Terrain::Plain)
}

fn blocked(settings: &Settings) -> Result<TerrainMap, InputError> {
    filled(settings, Terrain::Wall)
}

fn scattered(settings: &Settings, random: &mut Random) -> Result<TerrainMap, InputError> {
    let mut map = plain(settings)?;
    layout::scatter(&mut map, settings.get(&DENSITY)?, random);
    Ok(map)
}

fn with_queries(
    map: TerrainMap,
    question: Question,
    settings: &Settings,
    random: &mut Random,
) -> Result<Instance, InputError> {
    let count = settings.get(&QUERIES)?;
    let bare = instance(map, Vec::new(), question)?;
    let queries = queries::spread(&bare, count, random)?;
    instance(bare.map().clone(), queries, question)
}

fn instance(
    map: TerrainMap,
    scenario: Vec<Query>,
    question: Question,
) -> Result<Instance, InputError> {
    Instance::new(MapInput {
        map,
        map_name: "map".to_owned(),
        scenario,
        other_map: None,
        question,
    })
}
