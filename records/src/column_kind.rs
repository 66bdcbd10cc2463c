//! The kinds of columns: types of fields, forms in memory, and the families of columns that a run adds.

ikeru_core::names! {
    /// The type of a column's fields.
    pub enum Type {
        /// Text.
        Text = "text",
        /// A content hash of 32 hexadecimal digits.
        Hash = "hash",
        /// `true` or `false`.
        Flag = "flag",
        /// A whole number.
        Whole = "whole number",
        /// A decimal number.
        Decimal = "decimal number",
        /// Any of the other types, from row to row.
        Any = "text or number",
    }
}

/// The form of a column in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// For few different values: each value is stored once, and a symbol per row.
    Words,
    /// For numbers that are mostly different: one number per row.
    Numbers,
}

ikeru_core::names! {
    /// The columns that a run adds, by the prefix of their names.
    #[derive(PartialOrd, Ord)]
    pub enum Family {
        /// Settings of the question.
        Setting = "setting_",
        /// Settings of the method.
        Method = "method_",
        /// Parameters of the generator.
        Parameter = "param_",
        /// The variant's counters.
        Counter = "counter_",
        /// The referee's measures.
        Measure = "measure_",
    }
}

impl Family {
    /// A description of its columns.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Setting => "a setting of the question",
            Self::Method => "a setting of the variant's method; empty for variants without it",
            Self::Parameter => "a parameter of the generator; empty for others and for files",
            Self::Counter => "work of the variant for one answer: the same on every machine",
            Self::Measure => "a value that the referee measured on the answer",
        }
    }

    /// The family of a column, with the rest of its name; `None` for a fixed column.
    pub fn of(column: &str) -> Option<(Self, &str)> {
        let mut families = Self::ALL.into_iter();
        families.find_map(|family| Some((family, column.strip_prefix(family.name())?)))
    }

    /// The column called `name` of this family.
    pub fn column(self, name: &str) -> String {
        format!("{}{name}", self.name())
    }

    /// Returns whether `column` belongs to this family.
    pub fn holds(self, column: &str) -> bool {
        column.starts_with(self.name())
    }

    /// The storage of its columns, and the type of their fields.
    pub(crate) const fn holding(self) -> (Storage, Type) {
        match self {
            Self::Setting | Self::Method | Self::Parameter => (Storage::Words, Type::Any),
            Self::Counter => (Storage::Numbers, Type::Whole),
            Self::Measure => (Storage::Numbers, Type::Decimal),
        }
    }
}
