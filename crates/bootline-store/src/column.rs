// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a table is: named columns, each with the function that takes its value from a row. The Parquet schema and the values
//! come from the same list and can't disagree.
use std::sync::Arc;

use parquet::basic::{Encoding, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

/// A row type that is stored as a table.
pub trait Table: Sized + 'static {
    /// Name of the table and of its folder.
    const NAME: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static [Column<Self>];

    /// Sorts rows into the order in which files hold them.
    fn sort(rows: &mut [Self]);
}

/// A column of the rows `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// Its name.
    pub name: &'static str,
    /// Whether values may be missing.
    pub nullable: bool,
    /// How values are taken from a row; gives the type, too.
    pub get: Get<R>,
    /// How they are encoded.
    pub(crate) packing: Packing,
}

/// Takes a column's value from a row, by type.
#[derive(Debug)]
pub enum Get<R> {
    /// BIGINT
    Int64(fn(&R) -> Option<i64>),
    /// INTEGER
    Int32(fn(&R) -> Option<i32>),
    /// BOOLEAN
    Bool(fn(&R) -> Option<bool>),
    /// DOUBLE
    Double(fn(&R) -> Option<f64>),
    /// VARCHAR
    Text(fn(&R) -> Option<&str>),
    /// TIMESTAMP, in microseconds since 1970, UTC.
    Time(fn(&R) -> Option<i64>),
}

/// How values are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Values that repeat.
    Dictionary,
    /// Numbers that are all different.
    Delta,
}

impl<R> Column<R> {
    const fn new(name: &'static str, nullable: bool, get: Get<R>) -> Column<R> {
        Column { name, nullable, get, packing: Packing::Dictionary }
    }

    /// A BIGINT in each row.
    pub(crate) const fn int64(name: &'static str, get: fn(&R) -> Option<i64>) -> Column<R> {
        Column::new(name, false, Get::Int64(get))
    }

    /// An INTEGER in each row.
    pub(crate) const fn int32(name: &'static str, get: fn(&R) -> Option<i32>) -> Column<R> {
        Column::new(name, false, Get::Int32(get))
    }

    /// A BOOLEAN in each row.
    pub(crate) const fn bool(name: &'static str, get: fn(&R) -> Option<bool>) -> Column<R> {
        Column::new(name, false, Get::Bool(get))
    }

    /// A DOUBLE in each row.
    pub(crate) const fn double(name: &'static str, get: fn(&R) -> Option<f64>) -> Column<R> {
        Column::new(name, false, Get::Double(get))
    }

    /// A VARCHAR in each row.
    pub(crate) const fn text(name: &'static str, get: fn(&R) -> Option<&str>) -> Column<R> {
        Column::new(name, false, Get::Text(get))
    }

    /// A TIMESTAMP in each row.
    pub(crate) const fn time(name: &'static str, get: fn(&R) -> Option<i64>) -> Column<R> {
        Column::new(name, false, Get::Time(get))
    }

    /// The same, where values may be missing.
    pub(crate) const fn or_null(mut self) -> Column<R> {
        self.nullable = true;
        self
    }

    /// The same, for numbers that are all different.
    pub(crate) const fn delta(mut self) -> Column<R> {
        self.packing = Packing::Delta;
        self
    }

    /// The type as SQL names it.
    pub fn sql_type(&self) -> &'static str {
        match self.get {
            Get::Int64(_) => "BIGINT",
            Get::Int32(_) => "INTEGER",
            Get::Bool(_) => "BOOLEAN",
            Get::Double(_) => "DOUBLE",
            Get::Text(_) => "VARCHAR",
            Get::Time(_) => "TIMESTAMP",
        }
    }

    /// The encoding of a column without a dictionary.
    pub(crate) fn encoding(&self) -> Encoding {
        match self.get {
            Get::Int64(_) | Get::Int32(_) | Get::Time(_) => Encoding::DELTA_BINARY_PACKED,
            Get::Text(_) => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Get::Bool(_) | Get::Double(_) => Encoding::PLAIN,
        }
    }

    fn parquet_type(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.get {
            Get::Int64(_) => (Physical::INT64, None),
            Get::Int32(_) => (Physical::INT32, None),
            Get::Bool(_) => (Physical::BOOLEAN, None),
            Get::Double(_) => (Physical::DOUBLE, None),
            Get::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Get::Time(_) => {
                let utc = LogicalType::Timestamp { is_adjusted_to_u_t_c: true, unit: TimeUnit::MICROS };
                (Physical::INT64, Some(utc))
            }
        };
        let repetition = if self.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(self.name, physical).with_repetition(repetition).with_logical_type(logical).build()
    }
}

/// The Parquet schema of a table.
///
/// # Errors
/// None for the tables of this crate.
pub(crate) fn schema<T: Table>() -> Result<TypePtr, ParquetError> {
    let fields = T::COLUMNS.iter().map(|c| c.parquet_type().map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(T::NAME).with_fields(fields).build().map(Arc::new)
}
