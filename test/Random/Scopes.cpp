// Scopes other than plain maps: queues and their consumers, ranges that are read at run time, phases of the blocks of a kernel.
#include "Maker.h"

namespace sdfgc::random {

/// A queue that a loop fills and a copy empties.
void GraphMaker::stream(Container &to) {
    if (to.shape.size() != 1 || onDevice_ || shared_.depth > 0) {
        mapOver(to, false);
        return;
    }
    taken_.insert(&to);
    Container &queue = containers_.emplace_back();
    queue.name = label("q");
    queue.type = to.type;
    queue.prefix = "Stream ";
    queue.accumulates = to.accumulates;
    queue.shape.push_back(Index::constant(1));
    queue.isHidden = true;
    const Index extent = to.shape[0].isAtLeast(2) ? to.shape[0] - random_.between(0, 1) : to.shape[0];
    MapPlan plan;
    Written none;
    Values high{};
    for (std::size_t k = 0; k < kSizes; ++k)
        high[k] = extent.high[k] - 1;
    addParameter(plan, none, "0", extent.text, "", Index::symbol(label("m"), {}, high));
    Operation push = mapOperation(plan, 0, {&queue, "0", ""}, knownIndices());
    push.head = push.head.substr(0, push.head.find(']') + 1) + " (Sequential)";
    place(push);
    Operation pop;
    pop.reads.push_back({"", &queue, "0", ""});
    pop.reads.back().otherSubset = "0:" + to.shape[0].text;
    pop.copiesTo = &to;
    placeCopy(pop);
}

/// A scope that takes elements from a queue and writes to the positions that they specify.
void GraphMaker::consume(Container &to) {
    if (to.shape.size() != 1 || !to.shape[0].isAtLeast(2) || onDevice_ || shared_.depth > 0 || to.accumulates) {
        mapOver(to, false);
        return;
    }
    taken_.insert(&to);
    Container &queue = containers_.emplace_back();
    queue.name = label("q");
    queue.type = "int64";
    queue.prefix = "Stream ";
    queue.shape.push_back(Index::constant(1));
    queue.isHidden = true;
    const std::string parameter = label("m");
    Operation push;
    push.label = label("map");
    push.head = "map " + push.label + "[" + parameter + " = 0:" + to.shape[0].text + "] (Sequential)";
    push.body = textOf({label("code"), "", {}, {{"o", &queue, "0", "", ""}}, Lines{"o = " + parameter}}, {});
    push.writes.push_back({"", &queue, "0", "", ""});
    place(push);

    Operation inner;
    inner.label = inner.head = label("code");
    inner.reads.push_back({"e", &queue, "0", "", ""});
    inner.writes.push_back({"o", &to, whole(to), "dynamic, volume = 0", ""});
    std::vector<Leaf> leaves{{"e", ValueKind::Integer}};
    for (std::size_t k = random_.below(3); k > 0; --k)
        addRead(inner, leaves, knownIndices());
    Expressions e(random_, leaves);
    inner.body = Lines{"o[e] = " + e.value(to.type)};
    Operation op;
    op.label = label("eat");
    op.head = "consume " + op.label + "[" + label("w") + " = 1]";
    op.reads.push_back({"IN_stream", &queue, "0", "", ""});
    mergeReads(op.reads, inner.reads);
    op.writes.push_back({"", &to, whole(to), "dynamic, volume = 0", ""});
    op.body = textOf(inner, {});
    place(op);
}

/// A map whose end is read from a container.
void GraphMaker::dynamicMap(Container &to) {
    if (to.shape.size() != 1 || onDevice_ || shared_.depth > 0) {
        mapOver(to, false);
        return;
    }
    Container &end = containers_.emplace_back();
    end.name = label("n");
    end.type = "int64";
    end.isHidden = true;
    if (shared_.mixed)
        end.type = shared_.types.oneIn(2) ? "float64" : shared_.types.oneIn(2) ? "int32" : "int64";
    taken_.insert(&to);
    Operation count;
    count.label = count.head = label("code");
    count.writes.push_back({"o", &end, "0", "", ""});
    std::vector<Leaf> leaves;
    for (std::size_t k = random_.below(3); k > 0; --k)
        addRead(count, leaves, knownIndices());
    Expressions e(random_, leaves);
    count.body = Lines{"o = (" + e.value("int64") + ") % (" + to.shape[0].text + " + 1)"};
    if (end.type == "float64" && further(2))
        count.body->front() += " + 0.75"; // rounded down
    place(count);

    Values high{};
    for (std::size_t k = 0; k < kSizes; ++k)
        high[k] = to.shape[0].high[k] - 1;
    const std::string connector = label("end");
    MapPlan plan;
    Written w;
    addParameter(plan, w, "0", connector, "", Index::symbol(label("m"), {}, high));
    w.subscript = plan.parameters.front().name;
    w.image = w.tile = "0:" + to.shape[0].text;
    plan.dimensions.push_back(w);
    Operation op = mapOperation(plan, 0, {&to, plan.subscripts(), ""}, knownIndices());
    op.head = op.head.substr(0, op.head.find(']') + 1);
    op.reads.insert(op.reads.begin(), {connector, &end, "0", "", ""});
    op.writes.front().attributes = "dynamic, volume = 0";
    place(op);
}

/// A kernel whose threads exchange values through the shared memory of their block.
void GraphMaker::blockPhases() {
    if (sizes_.empty())
        return;
    const Index threads = Index::constant(random_.between(2, 5));
    Container &to = transient("float64", {random_.pick(sizes_), threads});
    taken_.insert(&to);
    Container &shared = containers_.emplace_back();
    shared.name = label("sh");
    shared.type = "float64";
    shared.shape.push_back(threads);
    shared.attributes = "GPU_Shared";
    shared.isHidden = true;
    Values high{};
    for (std::size_t k = 0; k < kSizes; ++k)
        high[k] = to.shape[0].high[k] - 1;
    const Index block = Index::symbol(label("m"), {}, high);
    high.fill(threads.high[0] - 1);
    std::vector<Index> indices = knownIndices();
    indices.push_back(block);

    Operation op;
    op.label = label("map");
    op.head = "map " + op.label + "[" + block.text + " = 0:" + to.shape[0].text + "] (GPU_Device)";
    op.body = Lines();
    auto phase = [&](const Index &thread, Operation code, Container *from, const Access &write) {
        Operation scope;
        scope.label = label("phase");
        scope.head = "map " + scope.label + "[" + thread.text + " = 0:" + threads.text + "] (GPU_ThreadBlock)";
        if (from)
            scope.reads.push_back({"", from, whole(*from), "", ""});
        mergeReads(scope.reads, code.reads);
        scope.writes.push_back(write);
        scope.body = textOf(code, {});
        mergeReads(op.reads, code.reads);
        const Lines lines = textOf(scope, {});
        op.body->insert(op.body->end(), lines.begin(), lines.end());
    };
    const Index first = Index::symbol(label("m"), {}, high), second = Index::symbol(label("m"), {}, high);
    indices.push_back(first);
    phase(first, tasklet({&shared, first.text, ""}, indices), nullptr, {"", &shared, whole(shared), "", ""});
    indices.back() = second;
    const std::string other = (threads - 1 - second).text;
    phase(second, tasklet({&to, block.text + ", " + second.text, ""}, indices, {{"z", &shared, other, "", ""}}), &shared,
          {"", &to, block.text + ", " + whole(shared), "", ""});
    op.writes.push_back({"", &to, whole(to), "", ""});
    place(op);
    to.isWritten = true;
}

} // namespace sdfgc::random
