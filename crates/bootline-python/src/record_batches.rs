// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the store's tables as Arrow: columns are built once, and shared from then on.
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use bootline_store::{Column, Date, Get, Table};

/// Rows of one record batch at most: no column of texts reaches 2 GiB, which its 32-bit offsets allow.
const MOST_ROWS: usize = 64 * 1024;

/// A table: its schema, and its rows.
#[derive(Clone, Debug)]
pub struct RecordBatches {
    /// The columns.
    pub schema: SchemaRef,
    /// Their values.
    pub batches: Vec<RecordBatch>,
}

impl RecordBatches {
    /// Rows of a table that has no date, in its order.
    pub fn undated<T: Table>(rows: Vec<T>) -> Result<RecordBatches, ArrowError> {
        RecordBatches::of::<T>(vec![(None, rows)])
    }

    /// Rows of a table with the partitions that they belong to, the date a last column as in Hive. Those of one date are in the table's
    /// order.
    pub fn dated<T: Table>(rows: Vec<(Date, Vec<T>)>) -> Result<RecordBatches, ArrowError> {
        RecordBatches::of(rows.into_iter().map(|(date, rows)| (Some(date), rows)).collect())
    }

    fn of<T: Table>(partitions: Vec<(Option<Date>, Vec<T>)>) -> Result<RecordBatches, ArrowError> {
        let is_dated = T::NAME != "builds";
        let date = is_dated.then(|| Field::new("date", DataType::Date32, false));
        let fields: Vec<Field> = T::COLUMNS.iter().map(field).chain(date).collect();
        let schema = Arc::new(Schema::new(fields));
        let mut batches = Vec::new();
        for (date, mut rows) in partitions {
            T::sort(&mut rows);
            for rows in rows.chunks(MOST_ROWS) {
                let columns = T::COLUMNS.iter().map(|column| values(column, rows));
                let date = date.filter(|_| is_dated).map(|date| dates(date, rows.len()));
                batches.push(RecordBatch::try_new(schema.clone(), columns.chain(date).collect())?);
            }
        }
        Ok(RecordBatches { schema, batches })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

fn field<T>(column: &Column<T>) -> Field {
    let kind = match column.get {
        Get::Int64(_) => DataType::Int64,
        Get::Int32(_) => DataType::Int32,
        Get::Bool(_) => DataType::Boolean,
        Get::Double(_) => DataType::Float64,
        Get::Text(_) => DataType::Utf8,
        Get::Time(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
    };
    Field::new(column.name, kind, column.nullable)
}

fn values<T>(column: &Column<T>, rows: &[T]) -> ArrayRef {
    macro_rules! built {
        ($builder:expr, $get:expr) => {{
            let mut builder = $builder;
            rows.iter().for_each(|row| builder.append_option($get(row)));
            Arc::new(builder.finish())
        }};
    }
    match &column.get {
        Get::Int64(get) => built!(Int64Builder::with_capacity(rows.len()), get),
        Get::Int32(get) => built!(Int32Builder::with_capacity(rows.len()), get),
        Get::Bool(get) => built!(BooleanBuilder::with_capacity(rows.len()), get),
        Get::Double(get) => built!(Float64Builder::with_capacity(rows.len()), get),
        Get::Text(get) => built!(StringBuilder::new(), get),
        Get::Time(get) => built!(TimestampMicrosecondBuilder::with_capacity(rows.len()).with_timezone("UTC"), get),
    }
}

fn dates(date: Date, rows: usize) -> ArrayRef {
    let mut builder = Date32Builder::with_capacity(rows);
    (0..rows).for_each(|_| builder.append_value(date.days()));
    Arc::new(builder.finish())
}
