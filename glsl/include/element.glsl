// The input's element type, chosen by ELEMENT_<TYPE>. Each file gives
//   Element                                   what one element is in registers
//   ELEMENTS_PER_QUAD                         elements in one wide load: of 16 bytes, and of 8 where elements are bytes
//   uvec4 element_quad(uint i)                wide load i of the bound input
//   Element element_load(uint i)              element i of the bound input
//   void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD])
//   Key element_key(Element e)                unsigned key with the order of the elements (see key.glsl)
// The bound range starts at a multiple of 16 bytes. Elements travel as 32-bit words, so that no type needs a
// storage feature of the device.
#ifndef WAVELANE_ELEMENT
#define WAVELANE_ELEMENT

#if defined(ELEMENT_U64) || defined(ELEMENT_I64) || defined(ELEMENT_F64)
#define ELEMENT_IS_64_BIT
#endif
#if defined(ELEMENT_U32) || defined(ELEMENT_I32) || defined(ELEMENT_U64) || defined(ELEMENT_I64) || defined(ELEMENT_SMALL)
#define ELEMENT_IS_INTEGER
#endif

// The same range three ways: words for single elements, pairs for 64-bit ones and for wide loads of bytes, quads for other wide loads.
layout(set = 0, binding = 0, std430) readonly buffer InputWords { uint input_words[]; };
#if defined(ELEMENT_IS_64_BIT) || defined(ELEMENT_SMALL)
layout(set = 0, binding = 0, std430) readonly buffer InputPairs { uvec2 input_pairs[]; };
#endif
layout(set = 0, binding = 0, std430) readonly buffer InputQuads { uvec4 input_quads[]; };

#if defined(ELEMENT_U32)
#include "include/element/u32.glsl"
#elif defined(ELEMENT_I32)
#include "include/element/i32.glsl"
#elif defined(ELEMENT_F32)
#include "include/element/f32.glsl"
#elif defined(ELEMENT_F16)
#include "include/element/f16.glsl"
#elif defined(ELEMENT_SMALL)
#include "include/element/small.glsl"
#elif defined(ELEMENT_U64)
#include "include/element/u64.glsl"
#elif defined(ELEMENT_I64)
#include "include/element/i64.glsl"
#elif defined(ELEMENT_F64)
#include "include/element/f64.glsl"
#else
#error "define ELEMENT_U32, _I32, _F32, _F16, _SMALL, _U64, _I64 or _F64"
#endif

#ifndef ELEMENT_SMALL
uvec4 element_quad(uint i) { return input_quads[i]; }
#endif

#endif
