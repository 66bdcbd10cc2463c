//! Every problem of the binary. A new crate of problems needs one line here.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use ikeru_core::{
    AnyProblem, GeneratorInfo, InputError, SettingInfo, VariantInfo, refuse, unknown,
};
use ikeru_reports::records::Family;

use crate::declared::Declared;

static PROBLEMS: LazyLock<Vec<&'static dyn AnyProblem>> = LazyLock::new(|| {
    #[cfg(not(feature = "solvers"))]
    let built_in: [Vec<&'static dyn AnyProblem>; 0] = [];
    #[cfg(feature = "solvers")]
    let built_in = [
        ikeru_reach::problems(),
        ikeru_trail::problems(),
        ikeru_path::problems(),
        ikeru_chain::problems(),
        ikeru_deep::problems(),
        ikeru_policy::problems(),
    ];
    let more = MORE.get().into_iter().flatten().copied();
    built_in.into_iter().flatten().chain(more).collect()
});

static MORE: OnceLock<Vec<&'static dyn AnyProblem>> = OnceLock::new();

/// Registers problems in addition to the built-in ones. Only the first call has an effect, and it must come before
/// any look-up.
pub fn add(more: Vec<&'static dyn AnyProblem>) {
    let _ = MORE.set(more);
}

/// The problems of commands that experiments declared, the latest last.
static DECLARED: Mutex<Vec<&'static Declared>> = Mutex::new(Vec::new());

/// Registers a problem of commands; it replaces one of the same name.
///
/// # Errors
/// The name of a built-in problem.
pub fn declare(declared: &'static Declared) -> Result<(), InputError> {
    let name = &declared.declaration().name;
    if problems().iter().any(|problem| problem.name() == name) {
        refuse!("a problem `{name}` is built in; expected another name of the experiment");
    }
    let mut all = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(declared);
    Ok(())
}

/// The problem of commands called `name`, if an experiment declared it.
pub fn declared(name: &str) -> Option<&'static Declared> {
    let all = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut latest = all.iter().rev();
    let found = latest.find(|declared| declared.declaration().name == name);
    found.copied()
}

/// Every problem, in the order in which they are listed.
pub fn problems() -> &'static [&'static dyn AnyProblem] {
    &PROBLEMS
}

/// The problem called `name`.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn problem(name: &str) -> Result<&'static dyn AnyProblem, InputError> {
    if let Some(declared) = declared(name) {
        return Ok(declared);
    }
    let all = problems().iter();
    let found = all.clone().find(|problem| problem.name() == name);
    let names = all.map(|problem| problem.name());
    let found = found.copied();
    let error = || unknown("problem", name, names);
    #[cfg(not(feature = "solvers"))]
    let error = || {
        InputError::new(format!(
            "{}; this program was built without the built-in ones",
            error()
        ))
    };
    found.ok_or_else(error)
}

/// The value of each problem, by its name; problems without one are left out.
pub fn by_problem<T>(
    problems: &[&'static dyn AnyProblem],
    of: impl Fn(&dyn AnyProblem) -> Option<T>,
) -> BTreeMap<String, T> {
    let problems = problems
        .iter()
        .map(|problem| (problem.name(), of(*problem)));
    let known = problems.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}

/// The defaults of the settings of the problems and of the parameters of their generators, as text, by the names of
/// problem or generator and setting.
pub fn defaults(
    problems: &[&'static dyn AnyProblem],
) -> BTreeMap<String, BTreeMap<String, String>> {
    let settings = problems.iter().map(|one| (one.name(), one.settings()));
    let generators = problems.iter().flat_map(|one| one.generators());
    let all = settings.chain(generators.map(|one| (one.name, one.parameters)));
    let text = |one: &SettingInfo| Some((one.name.to_owned(), one.default()?.to_string()));
    all.map(|(name, own)| (name.to_owned(), own.iter().filter_map(text).collect()))
        .collect()
}

/// The words of a problem for its columns, by their names, if it has some.
pub fn words(problem: &dyn AnyProblem) -> Option<BTreeMap<String, String>> {
    let words = problem.info().words.iter();
    let words = words.map(|(column, words)| [*column, *words].map(str::to_owned).into());
    Some(words.collect()).filter(|words: &BTreeMap<_, _>| !words.is_empty())
}

/// The column that counts the questions of an instance of a problem, if it has one.
pub fn batch(problem: &dyn AnyProblem) -> Option<String> {
    Some(Family::Measure.column(problem.info().batch?))
}

/// The sentence and the source of each variant of a problem, by its name.
pub fn variants(problem: &dyn AnyProblem) -> Option<BTreeMap<String, [String; 2]>> {
    let told = |one: VariantInfo| [one.about, one.source].map(str::to_owned);
    let all = problem.variants().into_iter();
    Some(all.map(|one| (one.name.to_owned(), told(one))).collect())
}

/// The generator called `name`, with its problem.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn generator(name: &str) -> Result<(&'static dyn AnyProblem, GeneratorInfo), InputError> {
    let all = || {
        problems().iter().flat_map(|&problem| {
            let own = problem.generators().into_iter();
            own.map(move |info| (problem, info))
        })
    };
    let found = all().find(|(_, info)| info.name == name);
    found.ok_or_else(|| unknown("generator", name, all().map(|(_, info)| info.name)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let mut seen = BTreeSet::new();
        for problem in problems() {
            assert!(seen.insert(problem.name()), "{}", problem.name());
            let mut variants = BTreeSet::new();
            for variant in problem.variants() {
                assert!(variants.insert(variant.name), "{}", variant.name);
            }
        }
        for problem in problems() {
            for info in problem.generators() {
                assert!(seen.insert(info.name), "{} stands twice", info.name);
            }
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let error = problem("raech").map(AnyProblem::name).expect_err("unknown");
        assert!(error.message.contains("did you mean `reach`?"), "{error}");
        let error = generator("reach.fullgrid")
            .map(|(_, info)| info.name)
            .expect_err("unknown");
        assert!(
            error.message.contains("did you mean `reach.full-grid`?"),
            "{error}"
        );
    }
}
