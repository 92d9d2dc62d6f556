// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads which inputs a part of `files` names.
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::content::ContentId;
use crate::error::{StoreError, at, in_file};

/// What identifies an input that could be read, and one that could not.
const COLUMNS: [&str; 3] = ["sha256", "path", "problem"];

/// The inputs that a part of `files` names.
///
/// # Errors
/// It can't be read.
pub(crate) fn read_known(path: &Path) -> Result<Vec<ContentId>, StoreError> {
    let file = at("open", path, File::open(path))?;
    in_file(path, inputs(file))
}

fn inputs(file: File) -> Result<Vec<ContentId>, ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter().filter(|f| COLUMNS.contains(&f.name())).map(Arc::clone).collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(fields).build()?;
    let mut found = Vec::new();
    for row in reader.get_row_iter(Some(projection))? {
        let row = row?;
        let text = |wanted: &str| {
            row.get_column_iter().find_map(|(name, field)| match field {
                Field::Str(text) if name == wanted => Some(text.as_str()),
                _ => None,
            })
        };
        let input = match text("sha256") {
            Some(hex) => {
                ContentId::from_hex(hex).ok_or_else(|| ParquetError::General(format!("`{hex}` is no hash")))?
            }
            None => ContentId::of_unreadable(text("path").unwrap_or_default(), text("problem").unwrap_or_default()),
        };
        found.push(input);
    }
    Ok(found)
}
