//! A device of wgpu, and arrays on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::clock::{Clock, Spread};

/// Between two questions whether work is done.
const PAUSE: Duration = Duration::from_micros(50);

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
}

impl Gpu {
    /// The first device of the first driver, with timestamps where it has them.
    pub fn new() -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends: wgpu::Backends::VULKAN, ..Default::default() });
        let adapter = pollster::block_on(wgpu::util::initialize_adapter_from_env_or_default(&instance, None));
        let adapter = adapter.context("the loader finds no driver that wgpu takes")?;
        let described = wgpu::DeviceDescriptor {
            label: None,
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            // Arrays of 2^26 words are larger than what wgpu gives unasked.
            required_limits: wgpu::Limits {
                max_buffer_size: adapter.limits().max_buffer_size,
                max_storage_buffer_binding_size: adapter.limits().max_storage_buffer_binding_size,
                ..Default::default()
            },
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&described, None))?;
        Ok(Self { device, queue, info: adapter.get_info() })
    }

    /// What is told of it.
    pub fn about(&self) -> Result<Value> {
        let clock = Clock::new(self);
        let mut empty = clock.empty(self)?;
        Ok(json!({
            "of": "wgpu_sort",
            "device": self.info.name,
            "driver": format!("{} {}", self.info.driver, self.info.driver_info).trim(),
            "clock": clock.name(),
            "sets": 1,
            "empty_ns": Spread::of(&mut empty),
        }))
    }

    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    /// Submits, and waits for the end of it. wgpu's own waits give up after 5 s, and say that all was done; so this one asks again and again, and is ended by the parent if need be.
    pub fn finish(&self, encoder: wgpu::CommandEncoder) {
        self.queue.submit([encoder.finish()]);
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        self.queue.on_submitted_work_done(move || told.store(true, Ordering::Release));
        while !done.load(Ordering::Acquire) {
            self.device.poll(wgpu::Maintain::Poll);
            thread::sleep(PAUSE);
        }
    }

    /// A buffer with these words, to copy from.
    pub fn source(&self, words: &[u32]) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * words.len() as u64,
            usage: wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        for (bytes, word) in buffer.slice(..).get_mapped_range_mut().chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        buffer.unmap();
        buffer
    }

    /// Its first words.
    pub fn read(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<u32>> {
        let bytes = self.bytes(buffer, 4 * count as u64)?;
        Ok(bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
    }

    pub fn bytes(&self, buffer: &wgpu::Buffer, size: u64) -> Result<Vec<u8>> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let read = self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &read, 0, size);
        self.finish(encoder);
        let (told, asked) = std::sync::mpsc::channel();
        read.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            let _ = told.send(result);
        });
        self.device.poll(wgpu::Maintain::Wait);
        asked.recv()??;
        let bytes = read.slice(..).get_mapped_range().to_vec();
        Ok(bytes)
    }
}
