#!/usr/bin/python3
"""Breaks a graph in one way after another, and looks at what sdfgc says: the code, the words, the place, the exit status.

  check.py SDFGC [NAME]     NAME: one kind of diagnostic only

A case is a function named after the kind that it provokes. It returns the input (text or bytes), the arguments behind
`sdfgc SUBCOMMAND FILE`, words that the report must have and, if need be, environment variables. Graphs are texts (docs/user/graph-text.md) where the
fault is not one of JSON. The tables of kinds come from `sdfgc explain`.
"""
import os
import re
import subprocess
import sys
import tempfile

CASES = {}


def case(status=1):
    def register(function):
        CASES[function.__name__] = (function, status)
        return function
    return register


def call(arguments, folder, environment=None):
    done = subprocess.run([SDFGC] + arguments, cwd=folder, capture_output=True, timeout=300, env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')


def graph(text):
    return 'sdfg test {\n' + text + '}\n'


VADD = graph("""
  symbol N: int64
  argument A: float64[N]
  argument B: float64[N]
  argument C: float64[N]
  state main {
    map m[i = 0:N] with <- A[0:N], <- B[0:N]; -> C[0:N] {
      add: c = a + b  with a <- A[i], b <- B[i]; c -> C[i]
    }
  }
""")


def edited(text, old, new):
    assert old in text, text
    return text.replace(old, new, 1)


# ---- reading


@case()
def NotAGraphFile():
    return b'\x80\x04\x95 a pickle', ['check'], ['this is not an SDFG file: it starts with']


@case()
def InvalidUtf8():
    return b'{"type": "SDFG", "label": "v\xdfdd"}', ['check'], ['the text is not UTF-8: byte']


@case()
def JsonTooDeep():
    return '{"a":' + '[' * 3000, ['check'], ['nested more than 2000 levels deep']


@case()
def DuplicateKey():
    return '{"type": "SDFG", "type": "SDFG"}', ['check'], ['the key `type` appears twice']


# ---- rules of graphs


@case()
def DuplicateBlockLabel():
    return graph("""
      state s {}
      state s {}
    """), ['check'], ['2 blocks of one region have the label `s`', 'in test']


@case()
def AssignmentRace():
    return graph("""
      symbol i, j: int64
      state a {}
      i = i + 1
      j = i
      state b {}
    """), ['check'], ['`j = i` reads `i`, which the same edge assigns']


@case()
def JumpOutsideLoop():
    return graph("""
      break b
    """), ['check'], ['break outside a loop']


@case()
def ConnectorWithoutPair():
    return edited(VADD, '0:N] with', '0:N] (in_connectors = {IN_A: null, IN_B: null, IN_Z: null}) with'), ['check'], ['connector `IN_Z` has no counterpart `OUT_Z`', 'map m']


@case(0)
def UninitializedTransient():
    return graph("""
      argument A: float64[1]
      transient t: float64[1]
      state main {
        t[0] -> A
      }
    """), ['check'], ['transient `t` is read before anything writes it']


def nested(inside, connectors):
    """A nested SDFG that takes `x` or `y` from A and gives one of them to B."""
    return graph("""
      symbol N: int64
      argument A: float64[N]
      argument B: float64[N]
      state main {
        nested inner with %s {
          sdfg inner {
            %s
          }
        }
      }
    """ % (connectors, inside))


def copying(source, target, size='4'):
    names = sorted({source, target})
    return '\n'.join(f'argument {n}: float64[{size}]' for n in names) + f"""
            state main {{
              {source}[0:{size}] -> new {target}
            }}"""


@case()
def WriteToInput():
    return nested(copying('y', 'x'), 'x <- A[0:N]; y -> B[0:N]'), ['check'], ['`x` is written, but it is only an input of the nested SDFG node']


@case()
def ConnectorInAndOut():
    return graph("""
      argument A: float64[4]
      state main {
        t: a = a + 1  with a <- A[0]; a -> A[0]
      }
    """), ['check'], ['connector `a` is both input and output', 'tasklet t']


@case()
def DanglingConnector():
    return edited(VADD, 'add:', 'add (in_connectors = {a: null, b: null, z: null}):'), ['check'], ['no edge at in-connector `z`', 'tasklet add']


@case()
def InOutMismatch():
    return nested(copying('x', 'x'), 'x <- A[0:N]; x -> B[0:N]'), ['check'], ['connector `x` reads `A` but writes `B`']


@case()
def UnmappedSymbol():
    return nested(copying('x', 'y', 'K'), 'x <- A[0:N]; y -> B[0:N]'), ['check'], ['symbol `K` of the nested SDFG is not mapped']


@case()
def MapStep():
    return edited(VADD, 'i = 0:N]', 'i = 0:N:-1]'), ['check'], ['parameter `i` has step -1', 'reverse the range']


@case()
def OrderedInParallel():
    return edited(VADD, '[i = 0:N] with', '[i = 0:N] (CPU_Multicore, ordered) with'), ['check'], ['depend on each other (`ordered`), but its schedule is CPU_Multicore']


@case()
def MemletOfOtherData():
    return graph("""
      argument A: float64[1]
      argument B: float64[1]
      argument C: float64[1]
      state main {
        new A C[0] -> B
      }
    """), ['check'], ['the memlet is of `C`, but the edge connects `']


def copy(subset):
    return graph(f"""
      argument A: float64[9]
      argument B: float64[9]
      state main {{
        A[{subset}] -> B
      }}
    """)


@case()
def NegativeSize():
    return copy('5:2'), ['check'], ['has size -3 in dimension 0']


@case()
def ZeroStep():
    return copy('0:9:0'), ['check'], ['has step 0 in dimension 0']


@case()
def SeveralOutEdges():
    return graph("""
      symbol N: int64
      state a {}
      goto b if N > 0
      goto c if not (N > 0)
      state b {}
      stop
      state c {}
    """), ['check', '--level', 'structured'], ['2 out-edges in structured control flow', 'state a']


def scheduled(text, *options):
    """A graph after the passes for a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'before'), 'w') as f:
            f.write(text)
        status, out, err = call(['opt', 'before', '--target', 'cuda', '-o', 'after.sdfgt', '-q', *options], folder)
        assert status == 0, err
        with open(os.path.join(folder, 'after.sdfgt')) as f:
            return f.read()


@case()
def StreamNumber():
    return edited(scheduled(VADD), 'stream = 0', 'stream = 999'), ['check', '--level', 'scheduled'], ['there is no GPU stream 999']


@case()
def StreamsUnordered():
    return edited(scheduled(VADD), 'stream = 0', 'stream = 1'), ['check', '--level', 'scheduled'], ['does not wait for', 'which may still']


# ---- pipelines and passes


@case(2)
def NestedGroup():
    return VADD, ['opt', '--passes', 'fixed-point(infer-types,fixed-point(default-schedules))'], ['a fixed-point group is inside another one']


@case()
def SymbolTypeUnknown():
    return """sdfg test (global_code = {frame: {string_data: "struct strange { strange(int); };\\n", language: CPP}}) {
      state a {}
      k = strange(3)
      state b {}
    }
    """, ['opt', '-o', 'x.sdfg'], ["symbol 'k' is assigned but its type cannot be inferred"]


# ---- library nodes


def product(path):
    return graph(f"""
      argument A: float64[4, 5]
      argument B: float64[6, 7]
      argument C: float64[4, 7]
      state main {{
        library {path} lib with _a <- A[0:4, 0:5], _b <- B[0:6, 0:7]; _c -> C[0:4, 0:7]
      }}
    """)


@case()
def LibraryNodeNotExpanded():
    return product('dace.libraries.blas.nodes.matmul.MatMul'), ['opt', '-o', 'x.sdfg'], ['library node `dace.libraries.blas.nodes.matmul.MatMul` cannot be expanded: ']


@case()
def LibraryNodeUnknown():
    return product('mine.nodes.Product'), ['opt', '-o', 'x.sdfg'], ['unknown library node `mine.nodes.Product`', 'expand it in DaCe before you save the graph']


@case()
def LibraryNodeRefused():
    return (product('dace.libraries.standard.nodes.gearbox.Gearbox'), ['opt', '-o', 'x.sdfg'],
            ['is not available on target cpu: it changes the vector width of a stream'])


# ---- lowering


@case()
def SubscriptRank():
    return graph("""
      argument A: float64[4, 4]
      argument C: float64[1]
      state main {
        t: c = a[1, 2, 3]  with a <- A[0:4, 0:4]; c -> C[0]
      }
    """), ['emit', '-o', 'out'], ['is read with 3 subscripts but has 2 dimensions', 'tasklet t']


@case()
def LowerUnsupported():
    return graph("""
      argument A: float64[4]
      argument C: float64[1]
      state main {
        t (SystemVerilog): module t; endmodule  with a <- A[0]; c -> C[0]
      }
    """), ['emit', '-o', 'out'], ['a tasklet in SystemVerilog cannot be compiled for this target']


@case()
def PersistentSize():
    return graph("""
      symbol k, N: int64
      transient t: float64[k] (Persistent)
      state a {}
      k = N + 1
      state b {
        t: c = 1  with c -> t[0]
      }
    """), ['emit', '-o', 'out'], ['the size of `t` (k) is not known when the program is initialised']


def kernel(containers, begin, tasklet, attributes=''):
    """A GPU map over i = 0:64 around one tasklet."""
    return graph(f"""
      symbol N: int64
      {containers}
      state main {{
        map m[i = 0:64] (GPU_Device{attributes}) with {begin} {{
          {tasklet}
        }}
      }}
    """)


@case()
def KernelShape():
    g = kernel("""argument A: float64[64] (GPU_Global)
      argument C: float64[64] (GPU_Global)""", '<- A[0:64]; -> C[0:64]', 't: c = a + 1  with a <- A[i]; c -> C[i]',
               ', gpu_block_size = [64, 64, 1]')
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['a block of kernel `m` has 4096 threads; a GPU allows at most 1024']


@case()
def KernelCallsHost():
    g = kernel('argument C: float64[64] (GPU_Global)', '-> C[0:64]', 't (CPP): cblas_dscal(1, 2.0, &c, 1);  with c -> C[i]')
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` calls `cblas_dscal`, a host function']


@case()
def KernelNamesComplex():
    g = kernel('argument C: complex128[64] (GPU_Global)', '-> C[0:64]', 't (CPP): c = std::complex<double>(0, 1);  with c -> C[i]')
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` runs C++ code with `std::complex`']


@case()
def ForeignField():
    g = graph("""
      argument A: float64[8]
      state main {
        t (CPP, environments = ["dace.libraries.pblas.environments.intel_mkl_mpich.IntelMKLScaLAPACKMPICH"]): a = __state->__mkl_scalapack_myprow;  with a -> A[0]
      }
    """)
    return g, ['emit', '-o', 'out'], ['`__state->__mkl_scalapack_myprow`', 'of the environment `IntelMKLScaLAPACKMPICH`']


@case()
def KernelSize():
    g = kernel('argument C: float64[64] (GPU_Global)', '-> C[0:64]', """map inner[j = 0:i + 1] (GPU_ThreadBlock) with -> C[i] {
            t: c = 1  with c -> C[i]
          }""")
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['is not known at launch: `i` is defined inside the kernel']


@case()
def KernelWritesValue():
    g = kernel('argument C: float64', '-> C[0]', 't: c = 1  with c -> C[0]')
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` writes `C`, a host variable']


@case()
def KernelArray():
    g = kernel("""argument C: float64[64] (GPU_Global)
      transient own: float64[N] (GPU_Shared)""", '-> C[0:64]', """t: c = 1  with c -> own[0]
          u: c = a  with a <- own[0]; c -> C[i]""")
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['array `own` is local to a kernel, but its size N is not constant']


@case()
def KernelVariable():
    g = kernel("""argument C: float64[64] (GPU_Global)
      transient S: Stream float64[1] (CPU_Heap, buffer_size = 64)""", '<- S[0]; -> C[0:64]', 't: c = a  with a <- S[0]; c -> C[i]')
    return g, ['emit', '--target', 'cuda', '-o', 'out'], ['kernel `m` uses `S`, which cannot be passed to a kernel']


def copy_to_device(method):
    """A part of a matrix is copied to the device, with that in place of the method; after the passes."""
    text = scheduled(graph("""
      argument A: float64[8, 8]
      argument D: float64[8, 8] (GPU_Global)
      state main {
        A[0:8, 0:4] -> D[0:8, 0:4]
      }
    """))
    return edited(text, 'Pitched, ', method)


@case()
def UndecidedCopy():
    return copy_to_device(''), ['check', '--level', 'scheduled'], ['no pass has chosen a method for the copy from `A` to `D`']


@case()
def UnsuitableCopy():
    return copy_to_device('Linear, '), ['check', '--level', 'scheduled'], ['the copy from `A` to `D` cannot be ']


@case()
def ThreadsUnordered():
    passes = 'raise-control-flow,fill-scope-connectors,default-schedules,infer-types,select-copies,allocate-containers,place-in-memory,assign-streams'  # no place-barriers
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../graphs/blocks.sdfg'), encoding='utf-8') as f:
        blocks = f.read()
    return scheduled(blocks, '--passes', passes), ['check', '--level', 'scheduled'], ['threads of a block reach ', '`s` in ']


@case()
def UndefinedSymbol():
    return graph("""
      argument A: float64[1]
      transient t: float64[K]
      state main {
        A[0] -> t
      }
    """), ['emit', '-o', 'out'], ['symbol `K` is used but never defined', 'map it on the nested SDFG']


# ---- results and programs


def without_headers(broken):
    """A folder for SDFGC_HOME that lacks a header, or has a folder in its place."""
    home = os.environ.get('SDFGC_HOME') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
    folder = tempfile.mkdtemp()
    for part in ('pipelines', 'bindings', 'viewer'):
        os.symlink(os.path.abspath(os.path.join(home, part)), os.path.join(folder, part))
    os.makedirs(os.path.join(folder, 'runtime-headers/sdfgc/rt'))
    if broken:
        os.makedirs(os.path.join(folder, 'runtime-headers/sdfgc/rt/abi.h'))
    return folder


@case()
def RuntimeHeaderMissing():
    return VADD, ['emit', '-o', 'out'], ['runtime header `sdfgc/rt/abi.h` was not found'], {'SDFGC_HOME': without_headers(False)}


@case()
def FolderNotWritten():
    return VADD, ['emit', '-o', 'out'], ['abi.h', 'choose another folder with -o'], {'SDFGC_HOME': without_headers(True)}


@case()
def ProgramArgumentKind():
    return graph("""
      symbol f: {type: callback, arguments: [{"type":"Scalar","attributes":{"dtype":"float64","shape":["1"]}}], returntypes: [{"type":"Scalar","attributes":{"dtype":"float64","shape":["1"]}}]}
      argument A: float64
      argument B: float64
      state main {
        call: o = f(a)  with a <- A; o -> B
      }
    """), ['run', '--arg', 'A=1', '--arg', 'B=1'], ['argument `f` is a callback, which cannot be given on a command line']


def problems(name, folder):
    function, status = CASES[name]
    made, arguments, words, *environment = function()
    path = os.path.join(folder, name + '.sdfg')
    content = made if isinstance(made, bytes) else made.encode()
    with open(path, 'wb') as f:
        f.write(content)
    found, out, err = call([arguments[0], path] + arguments[1:], folder, *environment)
    code = KINDS[name]
    if f'[{code}]' not in err:
        yield f'no [{code}] in: {err[:1500]}'
    for word in words:
        if word not in err:
            yield f'no `{word}`'
    if found != status:
        yield f'exit status {found}, not {status}; it says: {err[:1500]}'


def main():
    global SDFGC, KINDS
    SDFGC = os.path.abspath(sys.argv[1])
    listed = subprocess.run([SDFGC, 'explain'], capture_output=True, text=True, check=True).stdout
    KINDS = {name: code for code, name in re.findall(r'^(SD\d+)\s+\w+\s+(\w+):', listed, re.M)}
    chosen = sys.argv[2:] or list(CASES)
    failed = 0
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            found = list(problems(name, folder))
            if found:
                failed += 1
                print(f'{name}: ' + '; '.join(found))
    print(f'{len(chosen)} cases, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
