//! Columns of any time type to int64 microseconds since the epoch, UTC.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, Int64Array, new_null_array};
use arrow_schema::{DataType, TimeUnit};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::{Error, Result};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// A time zone from an IANA name ("Europe/Berlin"), "UTC" or a fixed offset ("+08:00").
pub fn parse_zone(name: &str) -> Result<TimeZone> {
    if name.eq_ignore_ascii_case("utc") || name == "Z" {
        return Ok(TimeZone::UTC);
    }
    if let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    // Offsets are not names of the database: read one off a civil time that carries it.
    if name.starts_with(['+', '-'])
        && let Ok(pieces) = jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(name)
    {
        return Ok(pieces);
    }
    Err(Error::value(format!(
        "unknown time zone '{name}'; use an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as '+08:00'"
    )))
}

/// Converts a time column to microseconds since the epoch, UTC; nulls stay null.
///
/// Takes timestamps of any unit (a naive one is read in `zone`), dates (midnight in `zone`), ISO 8601 strings
/// (partial ones such as "2024" or "2024-05" mean their first instant), and dictionaries of these.
/// Nanoseconds are floored. Bare integers and floats are refused, since their unit would be a guess.
pub fn micros(array: &dyn Array, column: &str, zone: &TimeZone) -> Result<Int64Array> {
    match array.data_type() {
        DataType::Null => Ok(Int64Array::new_null(array.len())),
        DataType::Timestamp(unit, of) => {
            let utc = match unit {
                TimeUnit::Second => scaled(array.as_primitive::<TimestampSecondType>(), 1_000_000, column)?,
                TimeUnit::Millisecond => scaled(array.as_primitive::<TimestampMillisecondType>(), 1_000, column)?,
                TimeUnit::Microsecond => scaled(array.as_primitive::<TimestampMicrosecondType>(), 1, column)?,
                TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().unary(|t| t.div_euclid(1_000)),
            };
            if of.is_some() { Ok(utc) } else { civil_to_utc(&utc, column, zone) }
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            let civil = try_map(days.iter().map(|d| d.map(i64::from)), column, |d| d.checked_mul(MICROS_PER_DAY))?;
            civil_to_utc(&civil, column, zone)
        }
        DataType::Date64 => {
            let civil = scaled(array.as_primitive::<Date64Type>(), 1_000, column)?;
            civil_to_utc(&civil, column, zone)
        }
        DataType::Utf8 => strings(array.as_string::<i32>().iter(), column, zone),
        DataType::LargeUtf8 => strings(array.as_string::<i64>().iter(), column, zone),
        DataType::Utf8View => strings(array.as_string_view().iter(), column, zone),
        DataType::Dictionary(_, values) => micros(&unpacked(array, values, column)?, column, zone),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Err(Error::column_type(
            "a bare integer is not a time, its unit would be a guess; give an Arrow timestamp or an ISO string",
            column,
        )),
        // What holds nothing is of no type; data frames then say float.
        kind if kind.is_floating() && array.null_count() == array.len() => Ok(Int64Array::new_null(array.len())),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Err(Error::column_type(
            "a float is not a time (an epoch in float32 is off by up to 128 s); give an Arrow timestamp or an ISO string",
            column,
        )),
        other => Err(Error::column_type(
            format!("a time is expected, not {other}; give an Arrow timestamp, a date or an ISO string"),
            column,
        )),
    }
}

fn scaled<T>(array: &arrow_array::PrimitiveArray<T>, factor: i64, column: &str) -> Result<Int64Array>
where
    T: arrow_array::ArrowPrimitiveType<Native = i64>,
{
    if factor == 1 {
        return Ok(Int64Array::new(array.values().clone(), array.nulls().cloned()));
    }
    try_map(array.iter(), column, |t| t.checked_mul(factor))
}

fn try_map(
    values: impl ExactSizeIterator<Item = Option<i64>>,
    column: &str,
    convert: impl Fn(i64) -> Option<i64>,
) -> Result<Int64Array> {
    let mut out = Int64Array::builder(values.len());
    for (row, value) in values.enumerate() {
        match value {
            None => out.append_null(),
            Some(value) => out.append_value(convert(value).ok_or_else(|| too_far(column, row))?),
        }
    }
    Ok(out.finish())
}

fn too_far(column: &str, row: usize) -> Error {
    Error::cell("the time is outside the range of 64-bit microseconds", column, row)
}

/// Reads clock readings (microseconds as if in UTC) in a zone. Times outside jiff's years take the zone's nearest offset.
fn civil_to_utc(civil: &Int64Array, column: &str, zone: &TimeZone) -> Result<Int64Array> {
    if *zone == TimeZone::UTC {
        return Ok(civil.clone());
    }
    let mut last: Option<(i64, i64)> = None; // (civil hour, offset): offsets seldom change between rows
    let mut out = Int64Array::builder(civil.len());
    for (row, value) in civil.iter().enumerate() {
        let Some(value) = value else {
            out.append_null();
            continue;
        };
        let hour = value.div_euclid(3_600_000_000);
        let offset = match last {
            // Quarter-hour changes of offset inside one hour do exist, so the shortcut holds for whole hours only
            // when both ends of the hour agree.
            Some((at, offset)) if at == hour => offset,
            _ => {
                let begin = offset_at(hour.saturating_mul(3_600_000_000), zone);
                let end = offset_at(hour.saturating_mul(3_600_000_000).saturating_add(3_599_999_999), zone);
                if begin == end {
                    last = Some((hour, begin));
                    begin
                } else {
                    offset_at(value, zone)
                }
            }
        };
        out.append_value(value.checked_sub(offset).ok_or_else(|| too_far(column, row))?);
    }
    Ok(out.finish())
}

/// Offset in microseconds that a zone has at a clock reading (the earlier one where the clock is set back).
fn offset_at(civil: i64, zone: &TimeZone) -> i64 {
    let low = Timestamp::MIN.as_microsecond() + 2 * MICROS_PER_DAY;
    let high = Timestamp::MAX.as_microsecond() - 2 * MICROS_PER_DAY;
    let Ok(stamp) = Timestamp::from_microsecond(civil.clamp(low, high)) else {
        return 0;
    };
    let clock: DateTime = TimeZone::UTC.to_datetime(stamp);
    match zone.to_ambiguous_timestamp(clock).compatible() {
        Ok(utc) => stamp.as_microsecond() - utc.as_microsecond(),
        Err(_) => 0,
    }
}

fn strings<'a>(
    values: impl ExactSizeIterator<Item = Option<&'a str>>,
    column: &str,
    zone: &TimeZone,
) -> Result<Int64Array> {
    let mut out = Int64Array::builder(values.len());
    for (row, value) in values.enumerate() {
        match value.map(str::trim) {
            None | Some("") => out.append_null(),
            Some(text) => out.append_value(iso(text, zone).ok_or_else(|| {
                Error::cell(format!("'{text}' is not an ISO 8601 time such as 2024-05-01T09:30:00Z"), column, row)
            })?),
        }
    }
    Ok(out.finish())
}

/// One ISO 8601 string; a naive one in `zone`.
fn iso(text: &str, zone: &TimeZone) -> Option<i64> {
    if let Ok(stamp) = text.parse::<Timestamp>() {
        return Some(floor_micros(stamp));
    }
    let midnight = jiff::civil::Time::midnight();
    // The last day of the year 9999 has no timestamp in jiff, but it has a date, a time and an offset.
    let pieces = jiff::fmt::temporal::Pieces::parse(text).ok();
    let offset = pieces.as_ref().and_then(|pieces| pieces.to_numeric_offset());
    let civil = match (text.parse::<DateTime>(), text.len()) {
        (Ok(civil), _) => civil,
        (Err(_), 4) => Date::new(text.parse().ok()?, 1, 1).ok()?.to_datetime(midnight),
        (Err(_), 7) if text.as_bytes()[4] == b'-' => {
            let (year, month) = (text.get(..4)?.parse().ok()?, text.get(5..)?.parse().ok()?);
            Date::new(year, month, 1).ok()?.to_datetime(midnight)
        }
        _ => {
            let pieces = pieces.filter(|_| offset.is_some())?;
            pieces.date().to_datetime(pieces.time()?)
        }
    };
    let offset = offset.map(|offset| i64::from(offset.seconds()) * 1_000_000);
    let since = civil.duration_since(Date::constant(1970, 1, 1).to_datetime(midnight));
    let wall = i64::try_from(since.as_nanos().div_euclid(1_000)).ok()?;
    Some(wall - offset.unwrap_or_else(|| offset_at(wall, zone)))
}

/// Floors to microseconds; jiff truncates towards zero.
fn floor_micros(stamp: Timestamp) -> i64 {
    let whole = stamp.as_microsecond();
    let back = SignedDuration::from_nanos(i64::from(stamp.subsec_nanosecond() % 1_000));
    whole - i64::from(back.is_negative())
}

fn unpacked(array: &dyn Array, values: &DataType, column: &str) -> Result<ArrayRef> {
    if array.is_empty() {
        return Ok(new_null_array(&DataType::Null, 0));
    }
    arrow_cast::cast(array, values).map_err(|error| Error::column_type(error.to_string(), column))
}
