// SPDX-License-Identifier: MIT OR Apache-2.0
//! As much of JSON Schema as docs/schema uses. A crate for it would bring forty others.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The schema's file.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}-1.schema.json"))
}

/// Panics where the value is not what `docs/schema/NAME-1.schema.json` says. Stricter than the schema: a field that it
/// doesn't describe is a fault, so that the two can't drift apart.
pub fn check(name: &str, value: &Value) {
    let schema: Value = serde_json::from_str(&fs::read_to_string(path(name)).unwrap()).unwrap();
    if let Err(fault) = (Checker { root: &schema }.check(&schema, value, name)) {
        panic!("{fault}");
    }
}

struct Checker<'s> {
    root: &'s Value,
}

/// The keys that the schema describes, of the value itself; or what is wrong with it.
type Checked = Result<BTreeSet<String>, String>;

impl Checker<'_> {
    /// The value and all in it; no field is left undescribed.
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let described = self.matches(schema, value, at)?;
        match value.as_object().into_iter().flatten().find(|(key, _)| !described.contains(*key)) {
            Some((key, _)) => Err(format!("{at}.{key} is not in the schema")),
            None => Ok(()),
        }
    }

    fn matches(&self, schema: &Value, value: &Value, at: &str) -> Checked {
        let mut described = BTreeSet::new();
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix('#').expect("within the file");
                    let schema = self.root.pointer(name).unwrap_or_else(|| panic!("no {name}"));
                    described.extend(self.matches(schema, value, at)?);
                }
                "anyOf" | "oneOf" => {
                    let all = rule.as_array().unwrap().iter().map(|s| self.matches(s, value, at));
                    let (fits, faults): (Vec<Checked>, Vec<Checked>) = all.partition(Result::is_ok);
                    if fits.is_empty() || (keyword == "oneOf" && fits.len() > 1) {
                        let faults: Vec<String> = faults.into_iter().filter_map(Result::err).collect();
                        return Err(format!("{at}: {} of {keyword} fit: {}", fits.len(), faults.join("; ")));
                    }
                    described.extend(fits.into_iter().flatten().flatten());
                }
                "type" => {
                    let types: Vec<&str> = match rule {
                        Value::Array(types) => types.iter().map(|t| t.as_str().unwrap()).collect(),
                        one => vec![one.as_str().unwrap()],
                    };
                    require(types.iter().any(|t| is(value, t)), || format!("{at} is no {types:?}: {value}"))?;
                }
                "enum" => require(rule.as_array().unwrap().contains(value), || format!("{at}: {value} not in {rule}"))?,
                "const" => require(rule == value, || format!("{at}: {value} is not {rule}"))?,
                "minimum" => require(value.as_f64().is_none_or(|v| v >= rule.as_f64().unwrap()), || {
                    format!("{at}: {value} is less than {rule}")
                })?,
                "maximum" => require(value.as_f64().is_none_or(|v| v <= rule.as_f64().unwrap()), || {
                    format!("{at}: {value} is more than {rule}")
                })?,
                "minItems" | "maxItems" => {
                    let (n, bound) = (value.as_array().map(Vec::len), rule.as_u64().unwrap() as usize);
                    let fits = n.is_none_or(|n| if keyword == "minItems" { n >= bound } else { n <= bound });
                    require(fits, || format!("{at}: {n:?} items, {keyword} is {bound}"))?;
                }
                "required" => {
                    let missing =
                        |key: &&Value| value.as_object().is_some_and(|v| !v.contains_key(key.as_str().unwrap()));
                    let first = rule.as_array().unwrap().iter().find(missing);
                    require(first.is_none(), || format!("{at}: {} is missing", first.unwrap()))?;
                }
                "properties" => {
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        if let Some(rule) = rule.get(key) {
                            self.check(rule, inner, &format!("{at}.{key}"))?;
                            described.insert(key.clone());
                        }
                    }
                }
                "items" => {
                    for (n, inner) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, inner, &format!("{at}[{n}]"))?;
                    }
                }
                // A map: all keys that aren't named. Fields that nothing describes are faults here in any case.
                "additionalProperties" if rule.is_object() => {
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        if schema.get("properties").is_none_or(|named| named.get(key).is_none()) {
                            self.check(rule, inner, &format!("{at}.{key}"))?;
                            described.insert(key.clone());
                        }
                    }
                }
                "additionalProperties" => assert_eq!(rule, &Value::Bool(false), "{at}"),
                "$schema" | "$id" | "$defs" | "title" | "description" | "format" => {}
                other => panic!("keyword {other} is not checked"),
            }
        }
        Ok(described)
    }
}

fn require(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn is(value: &Value, type_name: &str) -> bool {
    match type_name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other} is not checked"),
    }
}

#[test]
#[should_panic(expected = "missing")]
fn a_missing_field_is_found() {
    check("time", &serde_json::json!({ "schema": "bootline-time/1", "tool": "x" }));
}

#[test]
#[should_panic(expected = "not in the schema")]
fn an_undescribed_field_is_found() {
    check("time", &serde_json::json!({ "schema": "bootline-time/1", "tool": "x", "boots": [], "more": 1 }));
}
