// Every extension a kernel may use. Enabling one asks nothing of the device: only using it does.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#if defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_EXT_shader_subgroup_extended_types_int64 : enable
#endif
