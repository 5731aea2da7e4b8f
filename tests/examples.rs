//! Every example runs to its end on every driver, with the validation layer around it.
//!
//! The layer is put around the example by the environment, so that an example shows what an application writes and no more. It
//! writes what it finds to standard output.

mod harness;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;

/// Name, arguments, and something that must be in the output.
const EXAMPLES: [(&str, &[&str], &str); 10] = [
    ("frame_loop", &[], "every sum right"),
    ("indirect", &[], ""),
    ("chain", &[], "all as on the CPU"),
    ("adopt_device", &[], ""),
    ("pipeline_statistics", &[], ""),
    ("start_up", &[], ""),
    ("trace", &[], ""),
    ("height_map", &[], "equal within"),
    ("missing_barrier", &[], "left to the recorder: 824173 as expected, 2 barriers in all"),
    ("async_compute", &[], "every sum right"),
];

fn main() -> ExitCode {
    let mut cases: Vec<Case> = EXAMPLES
        .into_iter()
        .map(|(name, arguments, expected)| {
            Case::new(name, move |_| {
                let output = run(name, arguments)?;
                ensure(!says_anything(&output), || format!("the layer has something to say:\n{output}"))?;
                ensure(output.contains(expected), || format!("{expected:?} is not in the output:\n{output}"))
            })
        })
        .collect();
    cases.push(Case::new("the_layer_is_around_the_examples", |_| {
        let output = run("missing_barrier", &["--unchecked"])?;
        ensure(output.contains("SYNC-HAZARD-READ-AFTER-WRITE"), || format!("the layer did not notice the missing barrier:\n{output}"))
    }));
    harness::main(cases)
}

fn says_anything(output: &str) -> bool {
    ["VUID-", "SYNC-HAZARD", "Validation Error", "Validation Warning"].iter().any(|sign| output.contains(sign))
}

/// What the example wrote, to both ends. An end that is not good is an error.
fn run(name: &str, arguments: &[&str]) -> Result<String, Failed> {
    let output = Command::new(binary(name)?)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LAYER_VALIDATE_SYNC", "1")
        // Old loaders ask devices for an instance's function, which the layer holds against the example.
        .env("VK_LAYER_MESSAGE_ID_FILTER", "WARNING-vkGetDeviceProcAddr-device")
        .env("VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "1")
        .output()?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure(output.status.success(), || format!("{name} ended with {}:\n{text}", output.status))?;
    Ok(text)
}

/// `cargo test` builds the examples beside the tests.
fn binary(name: &str) -> Result<PathBuf, Failed> {
    let test = std::env::current_exe()?;
    let folder = test.parent().and_then(|deps| deps.parent()).ok_or("the test is in no folder")?.join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    ensure(path.is_file(), || format!("{} is missing; run `cargo build --examples` first", path.display()))?;
    Ok(path)
}
