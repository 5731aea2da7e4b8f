//! GLSL to SPIR-V with shaderc (feature `compile`).

use crate::error::Error;
use crate::manifest::Modules;
use crate::sources::Sources;
use crate::strip::strip;
use crate::variants::{Kernel, SpirvVersion, Variant};
use crate::words::bytes_of_words;
use shaderc::{CompileOptions, Compiler, EnvVersion, IncludeType, OptimizationLevel, ResolvedInclude, ShaderKind, TargetEnv};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Failures whose messages are shown; one mistake in an include file breaks every variant in the same way.
const SHOWN: usize = 3;

/// A module's bytes, or what the compiler says against it.
type Compiled = Result<Vec<u8>, String>;

/// Compiles every variant of every kernel on all cores. The bytes depend on nothing but the sources.
pub fn compile_all(sources: &Sources, kernels: &[Kernel]) -> Result<Vec<(Kernel, Modules)>, Error> {
    let jobs: Vec<(&Kernel, &Variant)> = kernels.iter().flat_map(|kernel| kernel.variants.iter().map(move |v| (kernel, v))).collect();
    let results: Vec<Mutex<Option<Compiled>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let worker = || -> Result<(), Error> {
        let compiler = Compiler::new().map_err(|error| Error::Compiler(error.to_string()))?;
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < jobs.len()) {
            let (kernel, variant) = jobs[index];
            let result = compile(&compiler, sources, kernel, variant)?;
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(jobs.len());
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        handles.into_iter().try_for_each(|handle| handle.join().map_err(|_| Error::Compiler("a worker panicked".into()))?)
    })?;

    let mut logs = Vec::new();
    let mut compiled = results.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut built = Vec::new();
    for kernel in kernels {
        let mut modules = Modules::new();
        for variant in &kernel.variants {
            match compiled.next().flatten() {
                Some(Ok(bytes)) => modules.push(bytes),
                Some(Err(log)) => logs.push(format!("{} as {}\n{}", kernel.label(), variant.name, log.trim_end())),
                None => return Err(Error::Compiler(format!("{} as {} was not compiled", kernel.label(), variant.name))),
            }
        }
        built.push((kernel.clone(), modules));
    }
    if logs.is_empty() {
        return Ok(built);
    }
    let failed = logs.len();
    logs.truncate(SHOWN);
    Err(Error::Compile { failed, total: jobs.len(), log: logs.join("\n") })
}

/// Compiles one variant.
fn compile(compiler: &Compiler, sources: &Sources, kernel: &Kernel, variant: &Variant) -> Result<Compiled, Error> {
    let Some(text) = sources.text(&kernel.source) else {
        return Ok(Err(format!("{} is not in the GLSL folder", kernel.source)));
    };
    let mut options = CompileOptions::new().map_err(|error| Error::Compiler(error.to_string()))?;
    let (environment, version) = target(variant.spirv);
    options.set_target_env(TargetEnv::Vulkan, environment as u32);
    options.set_target_spirv(version);
    options.set_optimization_level(OptimizationLevel::Performance);
    options.set_generate_debug_info();
    options.set_warnings_as_errors();
    for (name, value) in &variant.defines {
        options.add_macro_definition(name, Some(value));
    }
    options.set_include_callback(|requested: &str, _: IncludeType, from: &str, _| {
        let (name, text) = sources.include(requested, from)?;
        Ok(ResolvedInclude { resolved_name: name.into(), content: text.into() })
    });
    match compiler.compile_into_spirv(text, ShaderKind::Compute, &kernel.source, "main", Some(&options)) {
        Ok(artifact) => Ok(Ok(bytes_of_words(&strip(&kernel.file(variant), artifact.as_binary())?))),
        Err(error) => Ok(Err(error.to_string())),
    }
}

fn target(version: SpirvVersion) -> (EnvVersion, shaderc::SpirvVersion) {
    match version {
        SpirvVersion::V1_0 => (EnvVersion::Vulkan1_1, shaderc::SpirvVersion::V1_0),
        SpirvVersion::V1_1 => (EnvVersion::Vulkan1_1, shaderc::SpirvVersion::V1_1),
        SpirvVersion::V1_2 => (EnvVersion::Vulkan1_1, shaderc::SpirvVersion::V1_2),
        SpirvVersion::V1_3 => (EnvVersion::Vulkan1_1, shaderc::SpirvVersion::V1_3),
        SpirvVersion::V1_4 => (EnvVersion::Vulkan1_2, shaderc::SpirvVersion::V1_4),
        SpirvVersion::V1_5 => (EnvVersion::Vulkan1_2, shaderc::SpirvVersion::V1_5),
        SpirvVersion::V1_6 => (EnvVersion::Vulkan1_3, shaderc::SpirvVersion::V1_6),
    }
}
