// SPDX-License-Identifier: MIT OR Apache-2.0
//! One Parquet file: rows of one table in one row group.
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::column::{Column, Get, Packing, Table, schema};

/// Key in the metadata of each Parquet file, and its value: the version of the contract.
pub const CONTRACT: (&str, &str) = ("bootline-store", "1");

/// The level of zstd: above it, files hardly get smaller, and take longer.
const ZSTD_LEVEL: i32 = 6;

/// Writes rows as a Parquet file, in the table's order.
///
/// # Errors
/// Writing failed.
pub fn write_part<T: Table, W: Write + Send>(rows: &mut [T], out: W) -> Result<W, ParquetError> {
    T::sort(rows);
    let mut file = SerializedFileWriter::new(out, schema::<T>()?, Arc::new(properties::<T>()?))?;
    if !rows.is_empty() {
        let mut group = file.next_row_group()?;
        for column in T::COLUMNS {
            let Some(mut writer) = group.next_column()? else { break };
            write_column(column, rows, writer.untyped())?;
            writer.close()?;
        }
        group.close()?;
    }
    file.into_inner()
}

fn properties<T: Table>() -> Result<WriterProperties, ParquetError> {
    let contract = KeyValue::new(CONTRACT.0.to_owned(), CONTRACT.1.to_owned());
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_created_by(concat!("bootline ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![contract]))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for column in T::COLUMNS.iter().filter(|c| c.packing == Packing::Delta) {
        let path = ColumnPath::from(column.name);
        properties =
            properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, column.encoding());
    }
    Ok(properties.build())
}

fn write_column<T>(column: &Column<T>, rows: &[T], writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
    let nullable = column.nullable;
    match (&column.get, writer) {
        (Get::Int64(get) | Get::Time(get), ColumnWriter::Int64ColumnWriter(out)) => {
            let (values, levels) = taken(rows.iter().map(get), nullable);
            out.write_batch(&values, levels.as_deref(), None)?;
        }
        (Get::Int32(get), ColumnWriter::Int32ColumnWriter(out)) => {
            let (values, levels) = taken(rows.iter().map(get), nullable);
            out.write_batch(&values, levels.as_deref(), None)?;
        }
        (Get::Bool(get), ColumnWriter::BoolColumnWriter(out)) => {
            let (values, levels) = taken(rows.iter().map(get), nullable);
            out.write_batch(&values, levels.as_deref(), None)?;
        }
        (Get::Double(get), ColumnWriter::DoubleColumnWriter(out)) => {
            let (values, levels) = taken(rows.iter().map(get), nullable);
            out.write_batch(&values, levels.as_deref(), None)?;
        }
        (Get::Text(get), ColumnWriter::ByteArrayColumnWriter(out)) => {
            // Rows are sorted: neighbours have the same text, and share it.
            let mut last: Option<(&str, ByteArray)> = None;
            let shared = rows.iter().map(|row| {
                let text = get(row)?;
                match &last {
                    Some((same, bytes)) if *same == text => Some(bytes.clone()),
                    _ => Some(last.insert((text, ByteArray::from(text))).1.clone()),
                }
            });
            let (values, levels) = taken(shared, nullable);
            out.write_batch(&values, levels.as_deref(), None)?;
        }
        _ => return Err(ParquetError::General(format!("column {} has another type in the file", column.name))),
    }
    Ok(())
}

/// The values that there are, and, of a column that may lack some, which rows have one (1) or none (0).
fn taken<V>(values: impl Iterator<Item = Option<V>>, nullable: bool) -> (Vec<V>, Option<Vec<i16>>) {
    if !nullable {
        let values: Vec<V> = values.flatten().collect();
        return (values, None);
    }
    let mut levels = Vec::new();
    let present = values.inspect(|v| levels.push(i16::from(v.is_some()))).flatten().collect();
    (present, Some(levels))
}
