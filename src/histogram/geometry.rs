//! Where the elements of a histogram lie, and how many bins there are.

use super::Histogram;
use crate::Error;
use crate::limits::MAX_ELEMENTS;

/// Rows, segments and bins, in numbers that fit a shader's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Elements from the first to the last.
    pub(super) span: u64,
    /// Elements of a row, of all channels.
    pub(super) row_length: u64,
    /// Elements from one row to the next.
    pub(super) row_pitch: u64,
    /// Rows with a histogram each, or all of them as one.
    pub(super) segments: u64,
    pub(super) segment_length: u64,
    /// Bins of a segment, of all channels.
    pub(super) segment_bins: u64,
}

impl Geometry {
    pub(super) fn of(histogram: &Histogram) -> Result<Self, Error> {
        let Histogram { rows, width, channels, counted_channels, pitch, each_row, .. } = *histogram;
        if channels == 0 || counted_channels == 0 || counted_channels > channels {
            return Err(Error::Channels { counted: counted_channels, channels });
        }
        let [rows, width, channels, pitch] = [rows, width, channels, pitch].map(|length| length as u64);
        let too_many = |count: Option<u64>| {
            let shape = vec![histogram.rows, histogram.width, histogram.channels];
            let count = count.map_or_else(|| "more than 2^64".into(), |count| count.to_string());
            Error::TooManyElements { shape, count, limit: MAX_ELEMENTS }
        };
        let row_length = width.checked_mul(channels).ok_or_else(|| too_many(None))?;
        if pitch < row_length && rows > 1 {
            return Err(Error::Rows { length: row_length, pitch });
        }
        let span = match rows {
            0 => Some(0),
            _ if row_length == 0 => Some(0),
            _ => (rows - 1).checked_mul(pitch).and_then(|before| before.checked_add(row_length)),
        };
        let span = span.filter(|&span| span <= MAX_ELEMENTS).ok_or_else(|| too_many(span))?;
        let segments = if each_row { rows } else { 1 };
        let segment_bins = (counted_channels as u64).checked_mul(histogram.bins.count() as u64);
        let total = segment_bins.and_then(|bins| bins.checked_mul(segments)).filter(|&total| total <= MAX_ELEMENTS);
        let (Some(segment_bins), Some(_)) = (segment_bins, total) else { return Err(Error::TooManyBins { limit: MAX_ELEMENTS }) };
        // A single row has no next one.
        let row_pitch = if rows > 1 { pitch } else { row_length };
        let segment_length = if each_row { row_length.min(span) } else { span };
        Ok(Self { span, row_length, row_pitch, segments, segment_length, segment_bins })
    }

    /// Bins of all segments.
    pub(super) fn bins(&self) -> u64 {
        self.segments * self.segment_bins
    }
}
