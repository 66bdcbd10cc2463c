//! What a crate above this one adds to the experiments' language: kinds of analyses, and a check of further names.

use std::sync::OnceLock;

use ikeru_bench_data::Experiment;

use crate::analyses::AnalysisKind;
use crate::error::Result;

/// The additions of a program.
#[derive(Debug, Clone, Copy)]
pub struct Additions {
    /// Kinds of analyses in addition to those of this crate.
    pub analyses: &'static [AnalysisKind],
    /// Refuses an experiment whose `source` or `answers` name nothing.
    pub check: fn(&Experiment) -> Result<()>,
}

static ADDED: OnceLock<Additions> = OnceLock::new();

impl Additions {
    /// Adds them for the whole program. Only the first call has an effect, and it must come before the first check.
    pub fn add(self) {
        let _ = ADDED.set(self);
    }

    /// The additions of the program, or none.
    pub(crate) fn get() -> Self {
        const NONE: Additions = Additions {
            analyses: &[],
            check: |_| Ok(()),
        };
        ADDED.get().copied().unwrap_or(NONE)
    }
}
