//! Variants and generators without their types: rows of tables.

use crate::{Generator, Problem, SettingInfo, Variant};

/// The description of a variant without its types.
#[derive(Debug, Clone, Copy)]
pub struct VariantInfo {
    /// The word on the command line.
    pub name: &'static str,
    /// One sentence: the idea.
    pub about: &'static str,
    /// See [`Variant::source`].
    pub source: &'static str,
    /// See [`Variant::exact`].
    pub exact: bool,
    /// Part of a sample's identity.
    pub version: u32,
    /// Settings of the method.
    pub settings: &'static [SettingInfo],
}

impl<P: Problem> Variant<P> {
    /// The variant's description without its types.
    pub fn info(&self) -> VariantInfo {
        VariantInfo {
            name: self.name,
            about: self.about,
            source: self.source,
            exact: self.exact,
            version: self.version,
            settings: self.settings,
        }
    }
}

/// The description of a generator without its types.
#[derive(Debug, Clone, Copy)]
pub struct GeneratorInfo {
    /// `problem.kind`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [SettingInfo],
}

impl<P: Problem> Generator<P> {
    /// The generator's description without its types.
    pub fn info(&self) -> GeneratorInfo {
        GeneratorInfo {
            name: self.name,
            about: self.about,
            parameters: self.parameters,
        }
    }
}
