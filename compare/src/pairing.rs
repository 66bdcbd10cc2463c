//! Which samples of two sides answer the same question.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use ikeru_bench_data::Pairing;
use ikeru_records::Family;
use ikeru_records::rows::{QUESTION, Rows, WAYS, natural};

/// The column of the machine that took a sample.
pub const NODE: &str = "node";

/// The rows of one side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// All rows of its run.
    pub rows: &'a Rows,
    /// The rows that are compared.
    pub own: &'a [u32],
}

impl Side<'_> {
    /// The values of a column.
    pub fn distinct(&self, column: &str) -> Vec<String> {
        self.rows.distinct(column, self.own)
    }

    /// Returns whether the sides were measured one after the other: they have no session in common.
    pub fn is_apart(&self, other: &Side) -> bool {
        let [own, others] = [self, other].map(|side| side.distinct("session"));
        let are_known = !own.is_empty() && !others.is_empty();
        !std::ptr::eq(self.rows, other.rows)
            || (are_known && !own.iter().any(|session| others.contains(session)))
    }
}

/// Groups instances, each with a row of it, by what they have in common in that row ([`Rows::part_of`]), in natural order.
pub fn by_part<T>(
    rows: &Rows,
    instances: impl IntoIterator<Item = (u32, T)>,
) -> Vec<(String, Vec<T>)> {
    let mut parts: Vec<(String, Vec<T>)> = Vec::new();
    for (row, instance) in instances {
        let over = rows.part_of(row);
        match parts.iter_mut().rfind(|(known, _)| *known == over) {
            Some((_, own)) => own.push(instance),
            None => parts.push((over, vec![instance])),
        }
    }
    parts.sort_by(|(a, _), (b, _)| natural(a, b));
    parts
}

/// The rows of both sides that answer one question in the same way.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The rows of A.
    pub a: Vec<u32>,
    /// The rows of B.
    pub b: Vec<u32>,
}

impl Pair {
    /// The planned rows, with the sessions that added others; `None` if none did.
    pub fn planned(&self, rows: [&Rows; 2]) -> Option<(Self, Additions)> {
        let sides = [(rows[0], &self.a), (rows[1], &self.b)];
        let [(added_a, a), (added_b, b)] = sides.map(|(rows, own)| -> (Vec<u32>, Vec<u32>) {
            let is_added = |row: &&u32| rows.is_added(**row) || rows.is_of_added_question(**row);
            own.iter().partition(is_added)
        });
        let run_of_b = usize::from(!std::ptr::eq(rows[0], rows[1]));
        let sides = [(0, rows[0], added_a), (run_of_b, rows[1], added_b)];
        let additions = sides.into_iter().flat_map(|(run, rows, added)| {
            let sessions = rows.distinct("session", &added).into_iter();
            sessions.map(move |session| (run, session))
        });
        let additions: Additions = additions.collect();
        (!additions.is_empty()).then_some((Self { a, b }, additions))
    }
}

/// The sessions that added samples to those that were planned: the place of the run, and the number.
pub type Additions = BTreeSet<(usize, String)>;

/// The pairs of two sides.
#[derive(Debug, Default)]
pub struct Joined {
    /// The pairs of each instance, or of each declared group of instances.
    pub instances: Vec<Vec<Pair>>,
    /// The first row of each question that one side alone has, of A and of B.
    pub alone: [Vec<u32>; 2],
}

/// The columns in which paired rows of the sides are equal.
pub fn columns<'a>(pairing: Pairing, a: Side<'a>, b: Side<'a>) -> Vec<&'a str> {
    let is_known = |column: &str| {
        let all = |side: Side| {
            let mut own = side.own.iter();
            own.all(|row| !side.rows.text(column, *row).is_empty())
        };
        all(a) && all(b)
    };
    let differs = |column: &str| a.distinct(column) != b.distinct(column);
    let varies = |column: &str| a.distinct(column).len() > 1 || b.distinct(column).len() > 1;
    let of_sides = |column: &&str| {
        // A setting of a method, or a label, may be the difference between the sides.
        let is_of_side = Family::Method.holds(column) || **column == *"label";
        varies(column) && is_known(column) && !(is_of_side && differs(column))
    };
    let mut columns: Vec<&str> = match pairing {
        Pairing::Question => {
            let methods = a.rows.family(Family::Method).chain(["label"]);
            let own = methods.filter(of_sides);
            QUESTION.into_iter().chain(own).collect()
        }
        Pairing::Instance => {
            let settings = a.rows.settings().chain(WAYS).chain(["label"]);
            let own = settings.filter(of_sides);
            own.chain(["instance_hash"]).collect()
        }
    };
    columns.retain(|column| a.rows.has(column) || b.rows.has(column));
    columns
}

/// The columns of [`Pairing::Question`], without mode and bound policy where the sides differ in them: they do not change the
/// question.
pub fn question_columns<'a>(a: Side<'a>, b: Side<'a>) -> Vec<&'a str> {
    let mut columns = columns(Pairing::Question, a, b);
    let differs = |column: &str| a.distinct(column) != b.distinct(column);
    columns.retain(|column| !(["mode", "bound_policy"].contains(column) && differs(column)));
    columns
}

/// The column in which both sides have values: `column` itself, or that of wall times if a side has no CPU time.
pub fn shared_column<'c>(column: &'c str, sides: [Side; 2]) -> Cow<'c, str> {
    let columns = sides.map(|side| side.rows.compared(column, side.own));
    let other = columns.into_iter().find(|own| own != column);
    other.unwrap_or(Cow::Borrowed(column))
}

/// Returns whether both sides of a pair of times have to be of one machine: a side has several, or the sides of one run differ.
pub fn is_by_node(a: Side, b: Side) -> bool {
    let [of_a, of_b] = [a, b].map(|side| side.distinct(NODE));
    of_a.len() > 1 || of_b.len() > 1 || (std::ptr::eq(a.rows, b.rows) && of_a != of_b)
}

/// The columns in which paired rows of times are equal.
pub fn columns_of_times<'a>(pairing: Pairing, a: Side<'a>, b: Side<'a>) -> Vec<&'a str> {
    let mut columns = columns(pairing, a, b);
    columns.extend(is_by_node(a, b).then_some(NODE));
    columns
}

/// Pairs the rows that are equal in `columns`, by instance.
pub fn join(a: Side, b: Side, columns: &[&str]) -> Joined {
    let mut of_b: HashMap<Vec<&str>, Vec<u32>> = HashMap::new();
    for own in b.rows.group_by(columns, b.own) {
        let words = columns.iter().map(|column| b.rows.text(column, own[0]));
        of_b.insert(words.collect(), own);
    }
    let mut joined = Joined::default();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for own in a.rows.group_by(columns, a.own) {
        let words: Vec<&str> = columns
            .iter()
            .map(|column| a.rows.text(column, own[0]))
            .collect();
        let Some(other) = of_b.remove(&words) else {
            joined.alone[0].push(own[0]);
            continue;
        };
        let next = joined.instances.len();
        let at = *place.entry(a.rows.unit(own[0])).or_insert(next);
        if at == next {
            joined.instances.push(Vec::new());
        }
        let pair = Pair {
            a: a.rows.without_lone_attempts(&own, (b.rows, &other)),
            b: b.rows.without_lone_attempts(&other, (a.rows, &own)),
        };
        joined.instances[at].push(pair);
    }
    joined.alone[1] = of_b.into_values().map(|own| own[0]).collect();
    joined.alone[1].sort_unstable();
    joined
}

/// The first column of the question in which no row of one side agrees with a row of the other, so that nothing is compared.
pub fn differs_in<'a>(a: Side<'a>, b: Side<'a>) -> Option<&'a str> {
    let ways = ["instance_hash"].into_iter().chain(WAYS);
    let settings = a.rows.family(Family::Setting);
    let mut columns = ways.chain(settings).chain(["question"]);
    columns.find(|column| {
        let (of_a, of_b) = (a.distinct(column), b.distinct(column));
        let is_there = !of_a.is_empty() || !of_b.is_empty();
        is_there && !of_a.iter().any(|value| of_b.contains(value))
    })
}
