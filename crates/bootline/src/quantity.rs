// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parsers for quantities in arguments.
use bootline_capture::units::{Baud, Dur};

/// `115200`
pub fn baud(text: &str) -> Result<Baud, String> {
    text.parse().ok().and_then(Baud::new).ok_or_else(|| "not a number above 0".into())
}

/// `90`, `90s`, `1.5m`, `500ms`.
pub fn duration(text: &str) -> Result<Dur, String> {
    let digits = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("the unit is one of ms, s, m, h".into()),
    };
    let number: f64 = number.parse().map_err(|_| "not a number".to_owned())?;
    let time = Dur::from_secs_f64(number * scale);
    if number.is_finite() && time > Dur::ZERO { Ok(time) } else { Err("not a time above 0".into()) }
}

/// `1.5`, `1.5%`: a share.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(n) if (0.0..=100.0).contains(&n) => Ok(n / 100.0),
        _ => Err("not a percentage from 0 to 100".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_a_unit() {
        let check = |text: &str, expected| assert_eq!(duration(text), Ok(expected), "{text}");
        check("90", Dur::from_secs(90));
        check("1.5m", Dur::from_secs(90));
        check("500ms", Dur::from_millis(500));
        for bad in ["", "s", "-1s", "0", "5 parsecs", "nan", "inf", "1e400"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
