//! Random configurations: a generated instance, a question, and variants with their settings, threads and bound policies.
//! All answers are refereed, and all proven answers agree. One that fails is made smaller as long as it fails.

use std::fmt::{self, Display, Formatter};

use ikeru_core::{
    AnyInstance, AnyProblem, BoundPolicy, Deadline, Ended, GeneratorInfo, Incumbent, Random,
    Refusal, Rejection, Search, SettingInfo, SettingKind, Settings, Value, VariantInfo,
};
use ikeru_trail_proof::{Certificate, PROBLEM, solver, verify};

use crate::examine::{Depth, LIMIT};

/// The most threads of a variant.
const THREADS: u64 = 4;

/// A variant and how it is asked.
#[derive(Clone)]
pub struct Side {
    variant: VariantInfo,
    method: Settings,
    threads: usize,
    bound_policy: BoundPolicy,
}

impl Side {
    /// A random variant; with a chance of a quarter the first one, which is the naive one.
    fn draw(problem: &dyn AnyProblem, random: &mut Random) -> Self {
        let variants = problem.variants();
        let place = match random.chance(0.25) {
            true => 0,
            false => random.index(variants.len()),
        };
        let variant = variants[place];
        Self {
            variant,
            method: draw(variant.settings, random),
            threads: 1 + random.below(THREADS) as usize,
            bound_policy: match random.chance(0.5) {
                true => BoundPolicy::Shared,
                false => BoundPolicy::Private,
            },
        }
    }

    /// Two of them.
    pub fn two(problem: &dyn AnyProblem, random: &mut Random) -> Vec<Self> {
        (0..2).map(|_| Self::draw(problem, random)).collect()
    }
}

impl Display for Side {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        let (name, threads) = (self.variant.name, self.threads);
        write!(
            to,
            "{name} {} on {threads} threads, {}",
            self.method,
            self.bound_policy.name()
        )
    }
}

/// Lets the variants answer, and the referee and the verifier check them.
///
/// # Errors
/// A wrong answer, a false certificate, or two proven answers that differ.
pub fn answers(
    problem: &dyn AnyProblem,
    asked: &dyn AnyInstance,
    sides: &[Side],
) -> Result<Depth, String> {
    let mut depth = Depth::Accepted;
    let mut proven: Option<(&Side, Option<i64>)> = None;
    for side in sides {
        let name = side.variant.name;
        let certificate = Certificate::default();
        let mut solver = match solver(asked, name, &certificate) {
            Some(certified) if problem.name() == PROBLEM => certified,
            _ => match asked.prepare(name, &side.method, Deadline::after(LIMIT)) {
                Ok(solver) => solver,
                Err(Refusal::Skip(_) | Refusal::Input(_) | Refusal::Timeout) => continue,
            },
        };
        let incumbent = Incumbent::new(problem.direction());
        solver.solve(&mut Search {
            deadline: Deadline::after(LIMIT),
            threads: side.threads,
            bound_policy: side.bound_policy,
            ..Search::new(&incumbent)
        });
        if let Some(text) = certificate.lock().ok().and_then(|mut text| text.take()) {
            let verified = verify(&text);
            let verified = verified.map_err(|error| format!("{side}: its certificate: {error}"))?;
            if verified.score != solver.claimed() {
                let score = verified.score;
                return Err(format!("{side}: its certificate proves {score:?}"));
            }
        }
        match solver.referee(Deadline::after(LIMIT)) {
            None
            | Some(Err(
                Rejection::Timeout
                | Rejection::NoAnswer(_)
                | Rejection::Broken(_)
                | Rejection::Harness(_),
            )) => {
                continue;
            }
            // A published length that was changed is rightly refused.
            Some(Err(Rejection::Wrong(wrong))) if wrong.to_string().contains("published as") => {
                continue;
            }
            Some(Err(Rejection::Wrong(wrong))) => return Err(format!("{side}: {wrong}")),
            Some(Ok(checked)) if solver.ended() == Some(Ended::Solved) && solver.proven() => {
                if let Some((first, score)) = proven.filter(|(_, score)| *score != checked.score) {
                    let other = checked.score;
                    return Err(format!("{side}: {other:?}, but {first}: {score:?}"));
                }
                proven = Some((side, checked.score));
            }
            Some(Ok(_)) => {}
        }
        depth = Depth::Solved;
    }
    Ok(depth)
}

/// A generated instance, a question, and variants.
#[derive(Clone)]
pub struct Configuration {
    problem: &'static dyn AnyProblem,
    generator: GeneratorInfo,
    parameters: Settings,
    seed: u64,
    question: Settings,
    sides: Vec<Side>,
}

impl Display for Configuration {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        let name = self.generator.name;
        write!(
            to,
            "{name} {} seed {}, asked {}",
            self.parameters, self.seed, self.question
        )?;
        self.sides
            .iter()
            .try_for_each(|side| write!(to, "; {side}"))
    }
}

impl Configuration {
    /// A random one.
    pub fn draw(problem: &'static dyn AnyProblem, random: &mut Random) -> Self {
        let generators = problem.generators();
        let generator = generators[random.index(generators.len())];
        Self {
            problem,
            generator,
            parameters: draw(generator.parameters, random),
            seed: random.below(1 << 20),
            question: draw(problem.settings(), random),
            sides: Side::two(problem, random),
        }
    }

    /// Its instance; `None` where the generator refuses the parameters.
    pub fn instance(&self) -> Option<Box<dyn AnyInstance>> {
        let made = self
            .problem
            .generate(self.generator.name, &self.parameters, self.seed);
        made.ok()
    }

    /// Lets the variants answer its question, or the default one where the instance refuses it.
    ///
    /// # Errors
    /// The errors of [`answers`].
    pub fn check(&self, instance: &dyn AnyInstance) -> Result<Depth, String> {
        let asked = instance.ask(&self.question);
        match asked.or_else(|_| instance.ask(&Settings::new())) {
            Ok(asked) => answers(self.problem, asked.as_ref(), &self.sides),
            Err(_) => Ok(Depth::Accepted),
        }
    }

    /// The smallest configuration found that fails too: one thing at a time is left out or halved.
    pub fn smallest(mut self) -> Self {
        let fails = |one: &Self| {
            one.instance()
                .is_some_and(|it| one.check(it.as_ref()).is_err())
        };
        while let Some(smaller) = self.smaller().into_iter().find(fails) {
            self = smaller;
        }
        self
    }

    /// Every configuration with one thing less.
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut changed = |change: &dyn Fn(&mut Self)| {
            let mut one = self.clone();
            change(&mut one);
            all.push(one);
        };
        for place in 0..self.sides.len() {
            let side = &self.sides[place];
            if self.sides.len() > 1 {
                changed(&|one| drop(one.sides.remove(place)));
            }
            if side.threads > 1 {
                changed(&|one| one.sides[place].threads -= 1);
            }
            for method in less(&side.method, side.variant.settings) {
                changed(&|one| one.sides[place].method = method.clone());
            }
        }
        for question in less(&self.question, self.problem.settings()) {
            changed(&|one| one.question = question.clone());
        }
        for parameters in less(&self.parameters, self.generator.parameters) {
            changed(&|one| one.parameters = parameters.clone());
        }
        all
    }
}

/// Settings with one value less: absent, or nearer to 0. A default that is larger than 1 is halved and lowered too.
fn less(settings: &Settings, declared: &[SettingInfo]) -> Vec<Settings> {
    let mut all = Vec::new();
    for (left_out, _) in settings.iter() {
        let mut rest = Settings::new();
        for (name, value) in settings.iter().filter(|(name, _)| *name != left_out) {
            rest.set(name, value.clone());
        }
        all.push(rest);
    }
    for (name, value) in settings.with_defaults(declared).iter() {
        if let Value::Int(value @ 2..) = value {
            for smaller in [value / 2, value - 1] {
                let mut one = settings.clone();
                one.set(name, Value::Int(smaller));
                all.push(one);
            }
        }
    }
    all
}

/// Values for a third of the settings: small ones, wild ones, and words.
pub fn draw(declared: &[SettingInfo], random: &mut Random) -> Settings {
    const WILD: [i64; 9] = [-1, 0, 1, 63, 64, 65, 1000, 1_000_000, i64::MAX];
    let mut drawn = Settings::new();
    for setting in declared {
        if !random.chance(0.33) {
            continue;
        }
        let value = match (setting.kind, random.below(4)) {
            (SettingKind::Bool { default }, _) => Value::Bool(!default),
            (_, 0) => Value::Int(WILD[random.index(WILD.len())]),
            (SettingKind::Float { .. }, _) => Value::Float(random.unit() * 3.0 - 0.5),
            (SettingKind::Choice { words, .. }, _) => {
                Value::parse(words()[random.index(words().len())])
            }
            _ => Value::Int(random.between(0, 12)),
        };
        drawn.set(setting.name, value);
    }
    drawn
}
