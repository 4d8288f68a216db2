// Maps attributes of the format to members of the IR: one list per class, in the order of files.
//
// A list serves several visitors: reading takes one object, writing and printing an object and its defaults, comparing two objects.
// A visitor has
//   field(key, member...)       the attribute in its ordinary form; null is not a value
//   nullable(key, member...)    a text whose null means empty
//   identifier(key, member...)  a name, or a list of names, that must be identifiers; empty is fine
//   number(key, member...)      an expression that DaCe stores as an integer if it is one
//   dataName(key, member...)    the name of a container, dotted for members of structures; null means empty
//   meta(key, member...)        an attribute only known to sdfgc (`_meta...`: DaCe ignores such keys)
// Anything else (labels, connectors, subsets of old versions, contents) is handled outside of the lists.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <tuple>

namespace sdfgc::serialize {

template <class V, class... M> void memletFields(V &v, M &...m) {
    v.dataName("data", m.data...);
    v.field("subset", m.subset...);
    v.field("other_subset", m.otherSubset...);
    v.field("volume", m.volume...);
    v.field("dynamic", m.dynamic...);
    v.nullable("wcr", m.wcr...);
    v.field("wcr_nonatomic", m.wcrNonatomic...);
    v.field("allow_oob", m.allowOob...);
    v.field("is_data_src", m.isDataSrc...);
    v.field("debuginfo", m.debugInfo...);
    v.meta("_meta_sdfgc_wcr_mode", m.wcrMode...);
    v.meta("_meta_sdfgc_stream", m.stream...);
    v.meta("_meta_sdfgc_copy", m.copy...);
}

// ---- nodes
template <class V, class... N> void nodeFields(V &v, N &...n) {
    v.field("in_connectors", n.inConnectors...);
    v.field("out_connectors", n.outConnectors...);
    v.field("environments", n.environments...);
    v.field("debuginfo", n.debugInfo...);
}

template <class V, class... N> void accessFields(V &v, N &...n) {
    v.dataName("data", n.data...);
    v.field("setzero", n.setZero...);
    v.field("instrument", n.dataInstrument...);
    v.field("instrument_condition", n.dataInstrumentCondition...);
}

template <class V, class... N> void taskletFields(V &v, N &...n) {
    v.field("label", n.label...);
    v.field("code", n.code...);
    v.field("code_global", n.codeGlobal...);
    v.field("code_init", n.codeInit...);
    v.field("code_exit", n.codeExit...);
    v.field("state_fields", n.stateFields...);
    v.identifier("ignored_symbols", n.ignoredSymbols...);
    v.field("side_effects", n.sideEffects...);
    v.field("instrument", n.instrument...);
}

/// Except `sdfg`.
template <class V, class... N> void nestedFields(V &v, N &...n) {
    v.field("label", n.label...);
    v.nullable("ext_sdfg_path", n.externalPath...);
    v.field("symbol_mapping", n.symbolMapping...);
    v.field("no_inline", n.noInline...);
    v.nullable("unique_name", n.uniqueName...);
    v.field("instrument", n.instrument...);
}

template <class V, class... N> void mapFields(V &v, N &...n) {
    v.field("label", n.label...);
    v.identifier("params", n.params...);
    v.field("range", n.ranges...);
    v.field("schedule", n.schedule...);
    v.field("collapse", n.collapse...);
    v.field("unroll", n.unroll...);
    v.field("unroll_factor", n.unrollFactor...);
    v.field("instrument", n.instrument...);
    v.number("omp_num_threads", n.ompNumThreads...);
    v.field("omp_schedule", n.ompSchedule...);
    v.field("omp_chunk_size", n.ompChunkSize...);
    v.field("gpu_block_size", n.gpuBlockSize...);
    v.field("gpu_launch_bounds", n.gpuLaunchBounds...);
    v.field("gpu_min_warps_per_eu", n.gpuMinWarpsPerEu...);
    v.field("gpu_maxnreg", n.gpuMaxNReg...);
    v.field("gpu_force_syncthreads", n.gpuForceSyncthreads...);
    v.meta("_meta_sdfgc_omp_if", n.ompIf...);
    v.meta("_meta_sdfgc_gpu_grid_limit", n.gpuGridLimit...);
    v.meta("_meta_sdfgc_stream", n.stream...);
    v.meta("_meta_sdfgc_optimize", n.optimize...);
    v.meta("_meta_sdfgc_simd", n.simd...);
    v.meta("_meta_sdfgc_ordered", n.ordered...);
}

template <class V, class... N> void consumeFields(V &v, N &...n) {
    v.field("label", n.label...);
    v.identifier("pe_index", n.peIndex...);
    v.field("num_pes", n.numPes...);
    v.field("condition", n.condition...);
    v.field("schedule", n.schedule...);
    v.field("chunksize", n.chunkSize...);
    v.field("instrument", n.instrument...);
}

/// Except the node's own properties.
template <class V, class... N> void libraryFields(V &v, N &...n) {
    v.field("name", n.name...);
    v.field("label", n.label...);
    v.nullable("implementation", n.implementation...);
    v.field("schedule", n.schedule...);
    v.field("instrument", n.instrument...);
}

// ---- control flow
template <class V, class... B> void stateFields(V &v, B &...b) {
    v.field("nosync", b.nosync...);
    v.field("instrument", b.instrument...);
    v.field("symbol_instrument", b.symbolInstrument...);
    v.field("symbol_instrument_condition", b.symbolInstrumentCondition...);
}

/// Common to all regions.
template <class V, class... B> void regionFields(V &v, B &...b) {
    v.meta("gpu_graph", b.graph...);
    v.meta("_meta_sdfgc_graph_entries", b.graphEntries...);
}

template <class V, class... B> void loopFields(V &v, B &...b) {
    v.field("init_statement", b.init...);
    v.field("loop_condition", b.condition...);
    v.field("update_statement", b.update...);
    v.identifier("loop_variable", b.variable...);
    v.field("inverted", b.inverted...);
    v.field("update_before_condition", b.updateBeforeCondition...);
    v.field("unroll", b.unroll...);
    v.field("unroll_factor", b.unrollFactor...);
    v.meta("_meta_sdfgc_optimize", b.optimize...);
    regionFields(v, b...);
}

template <class V, class... E> void interstateFields(V &v, E &...e) {
    v.field("condition", e.condition...);
    v.field("assignments", e.assignments...);
    v.field("debuginfo", e.debugInfo...);
}

/// Except `name`. When reading, containers, constants and symbols are handled outside of the list, because everything else refers
/// to them.
template <class V, class... G> void graphFields(V &v, G &...g) {
    v.field("arg_names", g.argNames...);
    v.field("global_code", g.globalCode...);
    v.field("init_code", g.initCode...);
    v.field("exit_code", g.exitCode...);
    v.field("callback_mapping", g.callbackMapping...);
    v.field("instrument", g.instrument...);
    v.field("openmp_sections", g.openmpSections...);
    v.field("using_explicit_control_flow", g.usesExplicitControlFlow...);
    v.field("debuginfo", g.debugInfo...);
    regionFields(v, g...);
    v.meta("_meta_sdfgc_symbols", g.passedSymbols...);
    v.meta("_meta_sdfgc_sizes", g.handleSizes...);
    v.meta("_meta_sdfgc_level", g.level...);
}

// ---- containers
template <class V, class... D> void arrayFields(V &v, D &...d) {
    v.field("allow_conflicts", d.allowConflicts...);
    v.field("strides", d.strides...);
    v.field("total_size", d.totalSize...);
    v.meta("_meta_sdfgc_cancelled", d.cancelled...);
    v.field("offset", d.offset...);
    v.field("may_alias", d.mayAlias...);
    v.field("alignment", d.alignment...);
    v.number("start_offset", d.startOffset...);
    v.field("optional", d.optional...);
    v.field("pool", d.pool...);
}

/// The kind of the first object decides. `dtype` of MPI handles is fixed by their class.
template <class V, class... D> void descriptorFields(V &v, D &...d) {
    const ir::DataDesc &first = std::get<0>(std::tie(d...));
    switch (first.kind) {
    case ir::DataKind::Scalar:
        v.field("allow_conflicts", d.allowConflicts...);
        break;
    case ir::DataKind::Array:
        arrayFields(v, d...);
        break;
    case ir::DataKind::ContainerArray:
        arrayFields(v, d...);
        v.field("stype", d.elementDesc...);
        break;
    case ir::DataKind::Stream:
        v.field("offset", d.offset...);
        v.field("buffer_size", d.bufferSize...);
        break;
    case ir::DataKind::Structure:
        v.field("members", d.members...);
        v.field("name", d.structName...);
        break;
    case ir::DataKind::ProcessGrid:
    case ir::DataKind::SubArray:
    case ir::DataKind::RedistrArray:
        break;
    }
    v.field("dtype", d.dtype...);
    v.field("shape", d.shape...);
    v.field("transient", d.transient...);
    v.field("storage", d.storage...);
    v.field("lifetime", d.lifetime...);
    v.meta("_meta_sdfgc_memory", d.memory...);
    v.meta("_meta_sdfgc_arena", d.arena...);
    v.field("debuginfo", d.debugInfo...);
}

} // namespace sdfgc::serialize
