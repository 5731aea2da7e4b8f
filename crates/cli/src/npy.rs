//! NumPy's `.npy` files: read into arrays of a known type, in C order and the host's byte order, and written.

mod header;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use wavelane_reference::Element;

use crate::outputs;
use crate::report::Failure;
use header::Header;

/// Types of elements that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    U8,
    U16,
    I8,
    I16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    F16,
}

impl Kind {
    const ALL: [Kind; 12] =
        [Kind::Bool, Kind::F16, Kind::F32, Kind::F64, Kind::I8, Kind::I16, Kind::I32, Kind::I64, Kind::U8, Kind::U16, Kind::U32, Kind::U64];

    /// The type of elements that are no truth values.
    pub fn of(element: Element) -> Kind {
        match element {
            Element::U8 => Kind::U8,
            Element::U16 => Kind::U16,
            Element::I8 => Kind::I8,
            Element::I16 => Kind::I16,
            Element::U32 => Kind::U32,
            Element::I32 => Kind::I32,
            Element::F32 => Kind::F32,
            Element::U64 => Kind::U64,
            Element::I64 => Kind::I64,
            Element::F64 => Kind::F64,
            Element::F16 => Kind::F16,
        }
    }

    /// Short name, as everywhere in the command: `u8`.
    pub fn name(self) -> &'static str {
        if self == Kind::Bool { "bool" } else { crate::numpy::element(self).name() }
    }

    /// numpy's name, for what is told of Python.
    pub fn numpy_name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::U8 => "uint8",
            Kind::U16 => "uint16",
            Kind::I8 => "int8",
            Kind::I16 => "int16",
            Kind::U32 => "uint32",
            Kind::I32 => "int32",
            Kind::F32 => "float32",
            Kind::U64 => "uint64",
            Kind::I64 => "int64",
            Kind::F64 => "float64",
            Kind::F16 => "float16",
        }
    }

    /// Bytes an element takes.
    pub fn size(self) -> usize {
        match self {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 | Kind::F16 => 2,
            Kind::U32 | Kind::I32 | Kind::F32 => 4,
            Kind::U64 | Kind::I64 | Kind::F64 => 8,
        }
    }

    /// Letter and size in a type string such as `<f4`.
    fn code(self) -> &'static str {
        match self {
            Kind::Bool => "b1",
            Kind::U8 => "u1",
            Kind::U16 => "u2",
            Kind::I8 => "i1",
            Kind::I16 => "i2",
            Kind::U32 => "u4",
            Kind::I32 => "i4",
            Kind::F32 => "f4",
            Kind::U64 => "u8",
            Kind::I64 => "i8",
            Kind::F64 => "f8",
            Kind::F16 => "f2",
        }
    }

    fn from_code(code: &str) -> Option<Kind> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// numpy's names of all types. To numpy `i8` is another type than to this command.
    pub fn numpy_names() -> String {
        Self::ALL.map(Kind::numpy_name).join(", ")
    }
}

/// An array: C order, the host's byte order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// Reads a `.npy` file.
pub fn read(path: &Path) -> Result<Array, Failure> {
    let shown = path.display();
    let mut file = File::open(path).map_err(|error| {
        Failure::new(format!("cannot open {shown}: {}", reason(&error)), "check the path, and that the file may be read".to_owned())
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::new(format!("cannot read {shown}: it is a folder"), "name a .npy file in it".to_owned()));
    }
    let available = file.metadata().map(|metadata| metadata.len()).unwrap_or(0);
    parse(&mut file, available, &shown.to_string())
}

/// Reads what a `.npy` file holds. `available` is about how many bytes there are, for reserving memory; `name` is for messages.
fn parse(reader: &mut impl Read, available: u64, name: &str) -> Result<Array, Failure> {
    let header = Header::read(reader).map_err(|problem| {
        Failure::new(format!("{name} is not a readable .npy file: {problem}"), "write it with numpy.save(path, array)".to_owned())
    })?;
    let (big_endian, code) = header.order_and_code();
    let Some(kind) = Kind::from_code(code) else {
        return Err(Failure::new(
            format!("{name} holds elements of type {}, which is not supported", header.type_name()),
            format!("convert with array.astype(…) to one of: {}", Kind::numpy_names()),
        ));
    };
    let size = header.shape.iter().try_fold(kind.size(), |product, &extent| product.checked_mul(extent));
    // An extent of 0 leaves no element, whatever the others are.
    let size = if header.shape.contains(&0) { Some(0) } else { size };
    let Some(size) = size else {
        return Err(Failure::new(
            format!("{name} claims a shape of {}, which no memory can hold", shape_text(&header.shape)),
            "the header is damaged: write the file again with numpy.save".to_owned(),
        ));
    };
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size.min(usize::try_from(available).unwrap_or(size)))
        .map_err(std::io::Error::from)
        .and_then(|()| reader.take(size as u64).read_to_end(&mut bytes))
        .map_err(|error| {
            Failure::new(format!("cannot read {name}: {}", reason(&error)), "check the disk, and the memory that is free".to_owned())
        })?;
    if bytes.len() < size {
        return Err(Failure::new(
            format!("{name} is cut short: its header promises {size} bytes of data, and it has {}", bytes.len()),
            "copy or write the file again".to_owned(),
        ));
    }
    if big_endian != cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(kind.size()).for_each(<[u8]>::reverse);
    }
    if header.fortran_order && !bytes.is_empty() && header.shape.iter().filter(|&&extent| extent > 1).count() > 1 {
        bytes = to_c_order(&bytes, &header.shape, kind.size());
    }
    Ok(Array { kind, shape: header.shape, bytes })
}

/// Reorders elements whose first index runs fastest so that the last one does.
fn to_c_order(bytes: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = size;
    for &extent in shape {
        strides.push(stride);
        stride *= extent;
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut result = Vec::with_capacity(bytes.len());
    while result.len() < bytes.len() {
        result.extend_from_slice(&bytes[at..at + size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    result
}

/// Writes a `.npy` file. What fails leaves the file as it was.
pub fn write(path: &Path, array: &Array) -> Result<(), Failure> {
    outputs::write_files(&[(path, array)])
}

/// Writes what a `.npy` file holds.
pub fn write_to(writer: &mut impl Write, array: &Array) -> std::io::Result<()> {
    let order = match (array.kind, cfg!(target_endian = "big")) {
        (Kind::Bool | Kind::U8 | Kind::I8, _) => '|',
        (_, true) => '>',
        (_, false) => '<',
    };
    let dictionary =
        format!("{{'descr': '{order}{}', 'fortran_order': False, 'shape': {}, }}", array.kind.code(), shape_text(&array.shape));
    writer.write_all(&header::encode(&dictionary))?;
    writer.write_all(&array.bytes)
}

/// A shape as Python writes a tuple: `()`, `(3,)`, `(2, 3)`.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The system's words for an error, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = plain.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dictionary: &str, data: &[u8]) -> Vec<u8> {
        [header::encode(dictionary).as_slice(), data].concat()
    }

    fn parsed(bytes: &[u8]) -> Result<Array, Failure> {
        parse(&mut &bytes[..], bytes.len() as u64, "x.npy")
    }

    fn what(bytes: &[u8]) -> String {
        parsed(bytes).unwrap_err().what
    }

    #[test]
    fn round_trip() {
        for kind in Kind::ALL {
            for shape in [vec![], vec![0], vec![5], vec![2, 3], vec![2, 0, 3]] {
                let len = shape.iter().product::<usize>() * kind.size();
                let array = Array { kind, shape, bytes: (0..len).map(|byte| byte as u8).collect() };
                let mut bytes = Vec::new();
                write_to(&mut bytes, &array).unwrap();
                assert_eq!(bytes[..6], *b"\x93NUMPY");
                assert_eq!((bytes.len() - array.bytes.len()) % 64, 0);
                assert_eq!(parsed(&bytes).unwrap(), array);
            }
        }
    }

    #[test]
    fn types_by_their_codes() {
        // numpy: np.array([-1, -128], np.int8) and np.array([-2], np.int16).
        let bytes = parsed(&file("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", &[0xff, 0x80])).unwrap();
        assert_eq!((bytes.kind, bytes.kind.name(), bytes.bytes), (Kind::I8, "i8", vec![0xff, 0x80]));
        let pairs = parsed(&file("{'descr': '>i2', 'fortran_order': False, 'shape': (1,)}", &[0xff, 0xfe])).unwrap();
        assert_eq!((pairs.kind, pairs.kind.name(), pairs.bytes), (Kind::I16, "i16", (-2i16).to_ne_bytes().to_vec()));
        let mut written = Vec::new();
        write_to(&mut written, &Array { kind: Kind::I8, shape: vec![1], bytes: vec![1] }).unwrap();
        assert!(String::from_utf8_lossy(&written).contains("'descr': '|i1'"));
        // numpy's `i8` has 8 bytes.
        assert_eq!((Kind::from_code("i8"), Kind::I64.name()), (Some(Kind::I64), "i64"));
    }

    #[test]
    fn big_endian_is_turned() {
        let array = parsed(&file("{'descr': '>u4', 'fortran_order': False, 'shape': (2,), }", &[0, 0, 0, 1, 0, 0, 2, 0])).unwrap();
        assert_eq!(array.bytes, [1u32, 512].iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<_>>());
    }

    #[test]
    fn fortran_order_is_turned() {
        // numpy: np.arange(24).reshape(2, 3, 4), written with order='F'.
        let stored: Vec<u8> = (0..24).map(|at| (at / 6) + 4 * ((at / 2) % 3) + 12 * (at % 2)).collect();
        let array = parsed(&file("{'descr': '|b1', 'fortran_order': True, 'shape': (2, 3, 4)}", &stored)).unwrap();
        assert_eq!(array.bytes, (0..24).collect::<Vec<u8>>());
    }

    #[test]
    fn no_elements_at_all() {
        let array = parsed(&file("{'descr': '<f4', 'fortran_order': True, 'shape': (9223372036854775807, 0, 9)}", &[])).unwrap();
        assert_eq!((array.bytes.len(), array.shape), (0, vec![9_223_372_036_854_775_807, 0, 9]));
    }

    #[test]
    fn types_that_are_not_supported() {
        for (code, name) in [("<c8", "complex64"), ("<f16", "float128"), ("<U7", "<U7"), ("|O", "object"), ("<M8[s]", "<M8[s]")] {
            let failure = parsed(&file(&format!("{{'descr': '{code}', 'fortran_order': False, 'shape': (1,)}}"), &[0; 32])).unwrap_err();
            assert_eq!(failure.what, format!("x.npy holds elements of type {name}, which is not supported"));
            assert!(failure.advice.contains("bool, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64"));
        }
        let structured = file("{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1,)}", &[0; 12]);
        assert_eq!(what(&structured), "x.npy holds elements of type structured, which is not supported");
    }

    #[test]
    fn damaged_files() {
        let whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", &[0; 12]);
        assert_eq!(what(&whole[..whole.len() - 1]), "x.npy is cut short: its header promises 12 bytes of data, and it has 11");
        for end in 0..whole.len() - 12 {
            assert!(what(&whole[..end]).starts_with("x.npy is not a readable .npy file: "));
        }
        let huge = file("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", &[0; 12]);
        assert_eq!(what(&huge), "x.npy claims a shape of (4294967296, 4294967296), which no memory can hold");
        // Trailing bytes are no concern of numpy's, nor of ours.
        assert!(parsed(&[whole.as_slice(), &[1, 2, 3]].concat()).is_ok());
    }

    #[test]
    fn a_shape_far_beyond_the_data_takes_no_memory() {
        let liar = file("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,)}", &[0; 16]);
        assert_eq!(what(&liar), "x.npy is cut short: its header promises 8000000000000000 bytes of data, and it has 16");
    }

    #[test]
    fn missing_files() {
        let failure = read(Path::new("/nowhere/x.npy")).unwrap_err();
        assert_eq!(failure.what, "cannot open /nowhere/x.npy: no such file or directory");
    }
}
