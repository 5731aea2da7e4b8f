//! The header of a `.npy` file: a magic number, a version, and a Python dictionary as text.

use std::io::Read;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// numpy refuses longer headers too.
const LONGEST: usize = 10_000;
/// Structured types nest; nothing sensible nests further.
const DEEPEST: usize = 16;

/// What a header says.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The type string, such as `<f4`; `None` for structured types.
    descr: Option<String>,
    /// Whether the first index runs fastest.
    pub fortran_order: bool,
    /// Extents.
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads a header, up to the first byte of data. The error says what is wrong.
    pub fn read(reader: &mut impl Read) -> Result<Header, String> {
        let mut start = [0; 8];
        fill(reader, &mut start)?;
        if start[..6] != *MAGIC {
            return Err("it does not begin as one".to_owned());
        }
        let length = match (start[6], start[7]) {
            (1, 0) => {
                let mut length = [0; 2];
                fill(reader, &mut length)?;
                usize::from(u16::from_le_bytes(length))
            }
            (2 | 3, 0) => {
                let mut length = [0; 4];
                fill(reader, &mut length)?;
                u32::from_le_bytes(length) as usize
            }
            (major, minor) => return Err(format!("version {major}.{minor} is unknown")),
        };
        if length > LONGEST {
            return Err(format!("its header has {length} bytes, more than the {LONGEST} that numpy reads"));
        }
        let mut text = vec![0; length];
        fill(reader, &mut text)?;
        let text = String::from_utf8(text).map_err(|_| "its header is not text".to_owned())?;
        Header::parse(&text)
    }

    fn parse(text: &str) -> Result<Header, String> {
        let mut parser = Parser { rest: text };
        let value = parser.value(0)?;
        if !parser.rest.trim_start().is_empty() {
            return Err("its header has text after the dictionary".to_owned());
        }
        let Value::Dictionary(entries) = value else {
            return Err("its header is not a dictionary".to_owned());
        };
        let entry = |key: &str| {
            entries.iter().find(|(name, _)| name == key).map(|(_, value)| value).ok_or_else(|| format!("its header lacks '{key}'"))
        };
        let descr = match entry("descr")? {
            Value::Text(text) => Some(text.clone()),
            Value::Sequence(_) => None,
            _ => return Err("'descr' in its header is no type".to_owned()),
        };
        let Value::Boolean(fortran_order) = *entry("fortran_order")? else {
            return Err("'fortran_order' in its header is neither True nor False".to_owned());
        };
        let Value::Sequence(extents) = entry("shape")? else {
            return Err("'shape' in its header is not a tuple".to_owned());
        };
        let shape = extents.iter().map(|extent| match extent {
            Value::Integer(extent) => Ok(*extent),
            _ => Err("'shape' in its header holds something that is no extent".to_owned()),
        });
        Ok(Header { descr, fortran_order, shape: shape.collect::<Result<_, _>>()? })
    }

    /// Whether the bytes of an element stand highest first, and the type string without its byte order. Bytes on their own have no order;
    /// they count as the host's.
    pub fn order_and_code(&self) -> (bool, &str) {
        let descr = self.descr.as_deref().unwrap_or("structured");
        let host = cfg!(target_endian = "big");
        match descr.chars().next() {
            Some('<') => (false, &descr[1..]),
            Some('>') => (true, &descr[1..]),
            Some('|' | '=') => (host, &descr[1..]),
            _ => (host, descr),
        }
    }

    /// The type's name as numpy gives it, for messages.
    pub fn type_name(&self) -> String {
        let (_, code) = self.order_and_code();
        let name = match code {
            "f16" => "float128",
            "c8" => "complex64",
            "c16" => "complex128",
            "c32" => "complex256",
            "O" => "object",
            _ => self.descr.as_deref().unwrap_or("structured"),
        };
        name.to_owned()
    }
}

/// A header of version 1.0, or 2.0 where the dictionary is long, padded so that the data begins on a multiple of 64 bytes.
pub fn encode(dictionary: &str) -> Vec<u8> {
    let before = if dictionary.len() + 74 > usize::from(u16::MAX) { 12 } else { 10 };
    let padding = (64 - (before + dictionary.len() + 1) % 64) % 64;
    let length = dictionary.len() + padding + 1;
    let mut bytes = MAGIC.to_vec();
    match before {
        12 => {
            bytes.extend([2, 0]);
            bytes.extend((length as u32).to_le_bytes());
        }
        _ => {
            bytes.extend([1, 0]);
            bytes.extend((length as u16).to_le_bytes());
        }
    }
    bytes.extend(dictionary.as_bytes());
    bytes.extend(std::iter::repeat_n(b' ', padding));
    bytes.push(b'\n');
    bytes
}

fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> Result<(), String> {
    reader.read_exact(buffer).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "it ends within its header".to_owned(),
        _ => error.to_string(),
    })
}

/// As much of Python's literals as headers use.
enum Value {
    Text(String),
    Boolean(bool),
    Integer(usize),
    Sequence(Vec<Value>),
    Dictionary(Vec<(String, Value)>),
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err("its header nests too deep".to_owned());
        }
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().ok_or("its header ends too soon")?;
        match first {
            '\'' | '"' => self.text(first),
            '(' => self.sequence(')', depth),
            '[' => self.sequence(']', depth),
            '{' => self.dictionary(depth),
            '0'..='9' => self.integer(),
            _ if self.take("True") => Ok(Value::Boolean(true)),
            _ if self.take("False") => Ok(Value::Boolean(false)),
            _ => Err(format!("its header has an unexpected '{}'", first.escape_default())),
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn text(&mut self, quote: char) -> Result<Value, String> {
        let inner = &self.rest[1..];
        let end = inner.find(quote).ok_or("its header has a text without an end")?;
        self.rest = &inner[end + 1..];
        Ok(Value::Text(inner[..end].to_owned()))
    }

    fn integer(&mut self) -> Result<Value, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 marked long integers.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().map(Value::Integer).map_err(|_| format!("its header has an extent of {digits}, which is too large"))
    }

    fn sequence(&mut self, close: char, depth: usize) -> Result<Value, String> {
        self.rest = &self.rest[1..];
        let close = close.to_string();
        let mut values = Vec::new();
        while !self.take(&close) {
            values.push(self.value(depth + 1)?);
            if !self.take(",") {
                if self.take(&close) {
                    break;
                }
                return Err("its header has a sequence without an end".to_owned());
            }
        }
        Ok(Value::Sequence(values))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, String> {
        self.rest = &self.rest[1..];
        let mut entries = Vec::new();
        while !self.take("}") {
            let Value::Text(key) = self.value(depth + 1)? else {
                return Err("its header has a key that is no text".to_owned());
            };
            if !self.take(":") {
                return Err(format!("its header has no value for '{}'", key.escape_default()));
            }
            entries.push((key, self.value(depth + 1)?));
            if !self.take(",") {
                if self.take("}") {
                    break;
                }
                return Err("its header has a dictionary without an end".to_owned());
            }
        }
        Ok(Value::Dictionary(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Header::parse(text).unwrap_err()
    }

    #[test]
    fn as_numpy_writes_it() {
        let header = Header::parse("{'descr': '<f4', 'fortran_order': False, 'shape': (344, 403), }          \n").unwrap();
        assert_eq!(header, Header { descr: Some("<f4".to_owned()), fortran_order: false, shape: vec![344, 403] });
    }

    #[test]
    fn as_python_2_wrote_it() {
        let header = Header::parse("{\"shape\": (3L,), 'fortran_order':True,'descr': '|b1'}").unwrap();
        assert_eq!(header, Header { descr: Some("|b1".to_owned()), fortran_order: true, shape: vec![3] });
        assert_eq!(Header::parse("{'descr': '<i8', 'fortran_order': False, 'shape': ()}").unwrap().shape, [] as [usize; 0]);
    }

    #[test]
    fn problems_are_named() {
        let cases = [
            ("", "its header ends too soon"),
            ("nonsense", "its header has an unexpected 'n'"),
            ("(1, 2)", "its header is not a dictionary"),
            ("{'descr': '<f4', 'fortran_order': False}", "its header lacks 'shape'"),
            ("{'descr': 3, 'fortran_order': False, 'shape': ()}", "'descr' in its header is no type"),
            ("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "'fortran_order' in its header is neither True nor False"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "'shape' in its header is not a tuple"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "its header has an unexpected '-'"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ('a',)}", "'shape' in its header holds something that is no extent"),
            ("{'descr': '<f4, 'fortran_order': False, 'shape': ()}", "its header has a dictionary without an end"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "its header has a sequence without an end"),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                "its header has an extent of 99999999999999999999, which is too large",
            ),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "its header has text after the dictionary"),
        ];
        for (text, want) in cases {
            assert_eq!(problem(text), want, "{text}");
        }
        assert_eq!(problem(&"[".repeat(9_000)), "its header nests too deep");
    }

    #[test]
    fn long_headers_are_refused_before_they_are_read() {
        let bytes = [MAGIC.as_slice(), &[2, 0, 255, 255, 255, 255]].concat();
        assert_eq!(Header::read(&mut &bytes[..]).unwrap_err(), "its header has 4294967295 bytes, more than the 10000 that numpy reads");
    }
}
