//! A map with its players and a question. The module owns the settings of the question and refuses impossible
//! questions.

use std::sync::Arc;

use ikeru_core::{InputError, Setting, Settings, choices, input_error, refuse, settings};

use crate::graph::{Graph, Vertex};

/// The most players a map can have, player 0 included.
pub const MAX_PLAYERS: usize = 4;

/// The content of a map file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Vertices and edges.
    pub graph: Arc<Graph>,
    /// The vertex of each player; 1 to [`MAX_PLAYERS`], player 0 moves.
    pub players: Vec<Vertex>,
    /// The player who holds the poverty god, if there is one.
    pub holder: Option<usize>,
}

/// A map and a question.
///
/// The answer is the set of vertices that player 0 can reach from each start by a non-backtracking walk of exactly
/// `steps` steps (by any walk if the question allows U-turns), and the set of those where the walk can end with the
/// god on another player.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The map as read, independent of the question.
    pub map: Map,
    /// The graph for walks: that of the map without the edges at blocked vertices.
    pub graph: Arc<Graph>,
    /// The question.
    pub question: Question,
}

/// The question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The exact number of steps.
    pub steps: usize,
    /// The start of player 0: one vertex, or every vertex that is not blocked.
    pub starts: Starts,
    /// The vertices of players 1, 2 and 3, who do not move.
    pub others: Vec<Vertex>,
    /// The player who holds the god at first, if there is one.
    pub named_holder: Option<usize>,
    /// True if the god counts. If not, no player holds it, which is the plain question.
    pub god: bool,
    /// Vertices that may not be entered, in rising order.
    pub blocked: Vec<Vertex>,
    /// The vertex to which a route is asked for.
    pub target: Option<Vertex>,
    /// True if a walk may make U-turns.
    pub uturns: bool,
}

/// The starts of player 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// One vertex.
    One(Vertex),
    /// Every vertex, each with a separate answer.
    All,
}

impl Instance {
    /// The map with the default question: 48 steps for player 0, with the god if a player holds it.
    pub fn new(map: Map) -> Self {
        let question = Question {
            steps: DEFAULT_STEPS,
            starts: Starts::One(map.players[0]),
            others: map.players[1..].to_vec(),
            named_holder: map.holder,
            god: true,
            blocked: Vec::new(),
            target: None,
            uturns: false,
        };
        Self {
            graph: Arc::clone(&map.graph),
            map,
            question,
        }
    }

    /// The number of starts, each of which has a row in the answer.
    pub fn start_count(&self) -> usize {
        match self.question.starts {
            Starts::One(_) => 1,
            Starts::All => self.graph.vertices(),
        }
    }

    /// The start of the walks of answer row `row`.
    pub fn start(&self, row: usize) -> Vertex {
        match self.question.starts {
            Starts::One(start) => start,
            Starts::All => row as Vertex,
        }
    }

    /// The same map with another question.
    ///
    /// # Errors
    /// If a setting names a vertex or player that the map does not have, or settings contradict each other.
    pub fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        asked.question = asked.question.changed(settings, &self.map)?;
        if asked.question.blocked != self.question.blocked {
            asked.graph = if asked.question.blocked.is_empty() {
                Arc::clone(&self.map.graph)
            } else {
                Arc::new(self.map.graph.without(&asked.question.blocked))
            };
        }
        Ok(asked)
    }
}

/// The default number of steps: that of the game's worst case.
const DEFAULT_STEPS: usize = 48;

settings! {
    /// The settings of the question.
    pub const SETTINGS;
    pub(crate) STEPS: usize = "steps", DEFAULT_STEPS, 0..=1_000_000, "exact number of steps";
    GOD: bool = "god", true, "whether the poverty god counts; false leaves it out";
    TARGET: Option<String> = "target", "a vertex: can it be reached, and by which route; `none` takes the target back";
    pub(crate) BLOCKED: Option<String> = "blocked", "vertices that nobody may enter, as 3,7; `none` takes them back";
    pub(crate) START: Option<i64> = "start", 0..=Vertex::MAX as i64, "where player 0 starts, a vertex; by default as on the map";
    PLAYERS: Option<String> = "players", "where all players stand, as 435,73; by default as on the map";
    HOLDER: Option<i64> = "holder", -1..=MAX_PLAYERS as i64 - 1, "who holds the god at first, -1 for nobody; by default as on the map";
    STARTS: Option<StartRule> = "starts", "`one` start, or `all` vertices in turn, each a question of its own";
    UTURNS: bool = "uturns", false, "whether a walk may step straight back, which the rules of the game forbid";
}

choices! {
    enum StartRule {
        One = "one",
        All = "all",
    }
}

/// The word that removes a target or the blocked vertices.
const NONE: &str = "none";

impl Question {
    /// The question as changed by `settings`, if it is possible on `map`.
    fn changed(mut self, settings: &Settings, map: &Map) -> Result<Self, InputError> {
        let vertices = map.graph.vertices();
        settings.change(&STEPS, &mut self.steps)?;
        if let Some(players) = settings.get(&PLAYERS)? {
            let players = vertex_list(&PLAYERS, &players, vertices)?;
            if players.is_empty() || players.len() > MAX_PLAYERS {
                refuse!(
                    "setting `players` names {} players, expected 1 to {MAX_PLAYERS}",
                    players.len()
                );
            }
            self.starts = Starts::One(players[0]);
            self.others = players[1..].to_vec();
        }
        let start = settings.get(&START.within(0..=vertices as i64 - 1))?;
        if let Some(start) = start {
            self.starts = Starts::One(start as Vertex);
        }
        match settings.get(&STARTS)? {
            Some(StartRule::All) if start.is_some() => {
                refuse!("`start` is one vertex and `starts=all` is every one, expected one of them")
            }
            Some(StartRule::All) => self.starts = Starts::All,
            Some(StartRule::One) if self.starts == Starts::All => {
                self.starts = Starts::One(map.players[0]);
            }
            _ => {}
        }
        if let Some(blocked) = settings.get(&BLOCKED)? {
            self.blocked = vertex_list(&BLOCKED, &blocked, vertices)?;
            self.blocked.sort_unstable();
            self.blocked.dedup();
        }
        if let Some(target) = settings.get(&TARGET)? {
            let targets = vertex_list(&TARGET, &target, vertices)?;
            if targets.len() > 1 {
                refuse!("setting `target` is `{target}`, expected one vertex or `{NONE}`");
            }
            self.target = targets.first().copied();
        }
        settings.change(&UTURNS, &mut self.uturns)?;
        self.change_holder(settings)?;
        self.check()?;
        Ok(self)
    }

    fn change_holder(&mut self, settings: &Settings) -> Result<(), InputError> {
        settings.change(&GOD, &mut self.god)?;
        let last = self.others.len() as i64;
        if let Some(holder) = settings.get(&HOLDER.within(-1..=last))? {
            self.named_holder = usize::try_from(holder).ok();
        }
        match self.named_holder {
            Some(holder) if holder as i64 > last => Err(input_error!(
                "player {holder} holds the god but there are {} players, \
                 expected `holder` from -1 to {last}",
                last + 1
            )),
            _ => Ok(()),
        }
    }

    fn check(&self) -> Result<(), InputError> {
        match self.starts {
            Starts::One(start) if self.blocked.binary_search(&start).is_ok() => Err(input_error!(
                "player 0 starts at {start}, which is blocked, expected a free vertex"
            )),
            Starts::All if self.target.is_some() => Err(InputError::new(
                "`target` asks for one route and `starts=all` for many starts, expected one of them",
            )),
            _ => Ok(()),
        }
    }

    /// The player who holds the god at first; `None` in the plain question.
    pub fn holder(&self) -> Option<usize> {
        self.named_holder.filter(|_| self.god)
    }

    /// The number of possible holders of the god: 1 in the plain question, else the number of players.
    pub fn holders(&self) -> usize {
        self.holder().map_or(1, |_| self.others.len() + 1)
    }

    /// The holder of the god after a step into `vertex`, if `holder` held it before.
    ///
    /// If the holder is on `vertex`, player 0 takes the god. Otherwise, if player 0 holds it, the lowest-numbered
    /// player on `vertex` gets it. The start of player 0 counts as empty.
    pub fn handed_over(&self, vertex: Vertex, holder: usize) -> usize {
        let stands = |player: &usize| self.others[player - 1] == vertex;
        let mut present = (1..=self.others.len()).filter(stands);
        if holder == 0 {
            present.next().unwrap_or(0)
        } else if present.any(|player| player == holder) {
            0
        } else {
            holder
        }
    }
}

/// Reads `3,7` (or a single number) as vertices, and `none` as no vertex.
fn vertex_list(
    setting: &Setting<Option<String>>,
    text: &str,
    vertices: usize,
) -> Result<Vec<Vertex>, InputError> {
    if text == NONE || text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |item: &str| {
        let vertex = item.trim().parse::<Vertex>().ok();
        vertex
            .filter(|&vertex| (vertex as usize) < vertices)
            .ok_or_else(|| {
                input_error!(
                    "setting `{}` names `{}`, expected vertices from 0 to {}, as 3,7",
                    setting.name(),
                    item.trim(),
                    vertices - 1
                )
            })
    };
    text.split(',').map(number).collect()
}

#[cfg(test)]
mod tests {
    use ikeru_core::Value;

    use super::*;

    /// A path of four vertices; player 1 at its end holds the god.
    fn path() -> Instance {
        let graph = Arc::new(Graph::from_edges(4, &[(0, 1), (1, 2), (2, 3)]));
        Instance::new(Map {
            graph,
            players: vec![0, 3],
            holder: Some(1),
        })
    }

    fn ask(typed: &[(&str, &str)]) -> Result<Instance, InputError> {
        let values = typed.iter().map(|&(name, text)| (name, Value::parse(text)));
        path().ask(&values.collect())
    }

    #[test]
    fn settings_change_the_question_and_nothing_else() {
        let asked = ask(&[
            ("players", "2,0,0"),
            ("holder", "2"),
            ("blocked", "3,1"),
            ("steps", "7"),
        ]);
        let asked = asked.expect("a possible question");
        assert_eq!(asked.start(0), 2);
        assert_eq!((asked.question.steps, asked.question.holders()), (7, 3));
        assert_eq!(asked.question.blocked, [1, 3]);
        assert_eq!((asked.graph.edges(), asked.map.graph.edges()), (0, 3));
        let plain = Settings::from_iter([
            ("god", Value::Bool(false)),
            ("blocked", Value::Text("none".into())),
        ]);
        let plain = asked.ask(&plain).expect("a possible question");
        assert_eq!((plain.question.holder(), plain.question.steps), (None, 7));
        assert_eq!(plain.graph.edges(), 3);
        assert_eq!(plain.map, path().map);
    }

    #[test]
    fn impossible_questions_are_refused() {
        let cases: &[(&[(&str, &str)], &str)] = &[
            (
                &[("steps", "-1")],
                "expected a whole number from 0 to 1000000",
            ),
            (
                &[("steps", "99999999999")],
                "expected a whole number from 0 to 1000000",
            ),
            (
                &[("steps", "many")],
                "expected a whole number from 0 to 1000000",
            ),
            (&[("start", "4")], "expected a whole number from 0 to 3"),
            (&[("start", "-1")], "expected a whole number from 0 to 3"),
            (&[("target", "4")], "expected vertices from 0 to 3"),
            (&[("holder", "2")], "expected a whole number from -1 to 1"),
            (&[("players", "0")], "expected `holder` from -1 to 0"),
            (&[("players", "0,9")], "expected vertices from 0 to 3"),
            (&[("players", "0,0,0,0,0")], "expected 1 to 4"),
            (&[("players", "none")], "expected 1 to 4"),
            (&[("blocked", "1,x")], "expected vertices from 0 to 3"),
            (&[("blocked", "0")], "expected a free vertex"),
            (&[("god", "maybe")], "expected true or false"),
            (&[("starts", "some")], "expected one of one, all"),
            (&[("starts", "all"), ("start", "1")], "expected one of them"),
            (
                &[("starts", "all"), ("target", "1")],
                "expected one of them",
            ),
        ];
        for (typed, expected) in cases {
            let error = ask(typed).expect_err(expected);
            assert!(error.message.contains(expected), "{typed:?}: {error}");
        }
    }

    #[test]
    fn the_god_changes_hands_as_the_article_says() {
        let mut question = path().question;
        question.others = vec![3, 3, 1];
        // The vertex is empty; the holder is there; another player is there, but not the holder.
        assert_eq!(question.handed_over(2, 0), 0);
        assert_eq!(
            (question.handed_over(3, 1), question.handed_over(3, 2)),
            (0, 0)
        );
        assert_eq!(question.handed_over(1, 2), 2);
        // Player 0 hands it to the lowest-numbered player.
        assert_eq!(
            (question.handed_over(3, 0), question.handed_over(1, 0)),
            (1, 3)
        );
    }
}
