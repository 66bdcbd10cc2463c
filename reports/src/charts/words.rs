//! The names of columns and values in words: on axes, above panels, in titles.

use crate::records::Family;
use crate::rows::TIME;

/// The words for columns whose names are not clear enough.
const COLUMNS: [(&str, &str); 24] = [
    ("time_ns", "time"),
    ("wall_ns", "wall time"),
    ("cpu_ns", "CPU time"),
    ("label", "variant"),
    ("generator", "kind of instance"),
    ("setting_god", "god"),
    ("setting_tenth", "tenth of the scenario"),
    ("setting_templates", "templates"),
    ("setting_forest", "factor of forest"),
    ("param_factor_count", "edges with ×"),
    ("param_stones", "stones on the board"),
    ("counter_expansions", "expanded cells"),
    ("counter_states", "states"),
    ("counter_simulations", "simulated placements"),
    ("counter_routes_walked", "routes walked"),
    ("measure_queries", "queries"),
    ("measure_excess_percent", "excess over the shortest path, %"),
    ("measure_chains", "chains"),
    ("measure_attack", "garbage sent"),
    ("measure_attack_balance", "garbage sent minus received"),
    ("measure_least_moves", "least moves of any play"),
    ("measure_moves_to_completion", "moves to completion"),
    ("measure_log10_routes", "routes, decimal logarithm"),
    ("bound_policy", "best score"),
];

/// The unit of `size`, by problem.
const SIZES: [(&str, &str); 5] = [
    ("reach", "vertices"),
    ("routes", "vertices"),
    ("trail", "edges of the board"),
    ("path", "cells of the map"),
    ("deep", "stones on the board"),
];

/// A column's name as words: `counter_nodes` is `nodes`, `time_ns` is `time`.
pub(crate) fn column_word(column: &str) -> String {
    if let Some((_, word)) = COLUMNS.iter().find(|(name, _)| *name == column) {
        return (*word).to_owned();
    }
    if let Some((above, below)) = column.split_once('/') {
        let below = column_word(below);
        let one = below.strip_suffix("ies").map(|stem| format!("{stem}y"));
        return format!("{} per {}", column_word(above), one.unwrap_or(below));
    }
    let bare = Family::of(column).map_or(column, |(_, name)| name);
    bare.strip_suffix("_ns").unwrap_or(bare).replace('_', " ")
}

/// The clock of a column of times, as [`Rows::compared`](crate::Rows::compared) chooses it.
pub(crate) fn clock(column: &str) -> Option<&'static str> {
    match column.split('/').next() {
        Some(TIME) => Some("CPU time"),
        Some("wall_ns") => Some("wall time"),
        _ => None,
    }
}

/// `word`, which names the times in `column`, with their clock: `CPU time per query`.
pub(crate) fn with_clock(word: &str, column: &str) -> String {
    match clock(column) {
        Some(clock) if word.contains(clock) => word.to_owned(),
        Some(clock) if word.contains("time") => word.replacen("time", clock, 1),
        Some(clock) => format!("{word} ({clock})"),
        None => word.to_owned(),
    }
}

/// The words of [`column_word`], except that the size of a problem is named by its unit.
pub(super) fn word_in(problem: &str, column: &str) -> String {
    let unit = SIZES.iter().find(|(known, _)| *known == problem);
    match (column, unit) {
        ("size", Some((_, unit))) => (*unit).to_owned(),
        _ => column_word(column),
    }
}

/// The title of the panel of one value of a column: `maze`, `900 vertices`, `2 threads`, `seed 3`, `costs: unit`.
pub(super) fn panel_title(problem: &str, column: &str, value: &str) -> String {
    let word = word_in(problem, column);
    match column {
        "generator" => spoken(value, column),
        "instance" => {
            let bare = value
                .strip_prefix(problem)
                .and_then(|rest| rest.strip_prefix('.'));
            bare.unwrap_or(value).to_owned()
        }
        "label" | "variant" => value.to_owned(),
        "seed" => format!("{word} {value}"),
        "threads" if value == "1" => "1 thread".to_owned(),
        "size" | "threads" => format!("{} {word}", spoken(value, column)),
        _ => format!("{word}: {}", spoken(value, column)),
    }
}

/// A value in words: `yes`, `12,000`, and a generator without its problem.
pub(super) fn spoken(value: &str, column: &str) -> String {
    match value {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        other if column == "generator" => {
            let bare = other.split_once('.').map_or(other, |(_, bare)| bare);
            bare.replace('-', " ")
        }
        other if column == "seed" => other.to_owned(),
        other => match other.parse::<u64>() {
            Ok(number) => crate::units::count(number),
            Err(_) => other.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_s_name_stands_on_a_plot() {
        assert_eq!(column_word("time_ns/measure_queries"), "time per query");
        assert_eq!(column_word("counter_nodes"), "nodes");
        assert_eq!(with_clock("time per query", TIME), "CPU time per query");
        assert_eq!(with_clock("wall time", "wall_ns"), "wall time");
        assert_eq!(
            with_clock("one answer", "wall_ns/size"),
            "one answer (wall time)"
        );
        assert_eq!(with_clock("nodes", "counter_nodes"), "nodes");
        assert_eq!(word_in("path", "size"), "cells of the map");
        assert_eq!(word_in("mine", "size"), "size");
        assert_eq!(
            panel_title("path", "generator", "path.open-ground"),
            "open ground"
        );
        assert_eq!(panel_title("reach", "size", "12000"), "12,000 vertices");
        assert_eq!(panel_title("trail", "seed", "3"), "seed 3");
        assert_eq!(panel_title("path", "setting_costs", "unit"), "costs: unit");
    }
}
