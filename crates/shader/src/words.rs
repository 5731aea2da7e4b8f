//! SPIR-V as a sequence of instructions, without interpreting their operands.

use crate::error::Error;
use rspirv::spirv;

/// The words before the first instruction.
pub(crate) const HEADER: usize = 5;

/// Turns the bytes of a `.spv` file into words.
pub fn words_of_bytes(module: &str, bytes: &[u8]) -> Result<Vec<u32>, Error> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Error::spirv(module, format!("{} bytes are not a whole number of 4-byte words", bytes.len())));
    }
    Ok(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
}

/// Turns words into the bytes of a `.spv` file.
pub fn bytes_of_words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// One instruction: its opcode and all its words, the first included.
pub(crate) struct RawInstruction<'a> {
    /// `None` for an opcode that is not known.
    pub(crate) opcode: Option<spirv::Op>,
    pub(crate) words: &'a [u32],
}

/// Checks the header and the lengths of all instructions, and lists them.
pub(crate) fn instructions(words: &[u32]) -> Result<Vec<RawInstruction<'_>>, String> {
    if words.len() < HEADER {
        return Err(format!("{} words are shorter than a SPIR-V header", words.len()));
    }
    if words[0] != spirv::MAGIC_NUMBER {
        return Err(format!("starts with {:#010x}, not with SPIR-V's magic number", words[0]));
    }
    let mut list = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        if length == 0 || length > words.len() - at {
            return Err(format!("the instruction at word {at} has the impossible length {length}"));
        }
        let opcode = spirv::Op::from_u32(words[at] & 0xffff);
        list.push(RawInstruction { opcode, words: &words[at..at + length] });
        at += length;
    }
    Ok(list)
}
