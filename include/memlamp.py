# SPDX-License-Identifier: MIT
"""Tell memlamp about arrays, phases and states of a Python program.

    memlamp record python3 memlamp.py script.py ARGUMENT...     # each function is a phase
    memlamp record python3 memlamp.py --lines script.py         # each line is a phase

or in the script itself:

    import memlamp

    memlamp.region(a, "a")              # a numpy array, or anything with a buffer
    with memlamp.phase("solve"):
        solve(a)
    memlamp.state("step", 3)

A program that is not being recorded spends a little time on each call, and nothing
happens. The calls work under Valgrind on Linux for x86-64; elsewhere they do nothing.

Phases of functions and lines are those of files below the script's folder. What the
phases' bookkeeping itself does to memory belongs to no phase.
"""

import contextlib
import ctypes
import mmap
import os
import platform
import runpy
import sys
import threading

_REGION, _UNREGION, _MARK, _BEGIN, _END, _STATE, _START, _STOP = range(0x4D4C0000, 0x4D4C0008)

# Four rotations that cancel out: Valgrind takes them for a request (memlamp.h).
_CODE = bytes.fromhex(
    "4889f8"    # mov  rax, rdi
    "31d2"      # xor  edx, edx
    "48c1c703" "48c1c70d" "48c1c73d" "48c1c733"     # rol  rdi, 3, 13, 61, 51
    "4887db"    # xchg rbx, rbx
    "c3")       # ret


class _Call(ctypes.Structure):
    """struct memlamp_call of memlamp.h"""
    _fields_ = [("request", ctypes.c_ulong), ("address", ctypes.c_void_p),
                ("bytes", ctypes.c_ulong), ("elem", ctypes.c_ulong),
                ("name", ctypes.c_char_p), ("rows", ctypes.c_ulong),
                ("cols", ctypes.c_ulong), ("value", ctypes.c_long)]


def _make_tell():
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return lambda address: None
    try:
        code = mmap.mmap(-1, mmap.PAGESIZE,
                         prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:     # the system forbids memory that is written and executed
        return lambda address: None
    code.write(_CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    tell.code = code    # lives as long
    return tell


_tell_at = _make_tell()     # takes the address of a _Call
_calls = {}                 # of begin and end, by name: made once, because they are frequent


def _tell(call):
    _tell_at(ctypes.addressof(call))


def _named(request, name, **more):
    _tell(_Call(request=request, name=name.encode()[:255], **more))


def _phase_calls(name):
    """Addresses of the requests that begin and end a phase."""
    known = _calls.get(name)
    if not known:
        calls = [_Call(request=r, name=name.encode()[:255]) for r in (_BEGIN, _END)]
        known = _calls[name] = (*map(ctypes.addressof, calls), calls)
    return known


def region(array, name):
    """From now on the memory of the array is the region `name`, with its shape."""
    view = memoryview(array)
    if not view.contiguous:
        raise ValueError("%s: its elements do not lie side by side" % name)
    shape = list(view.shape or (1,))
    if not view.c_contiguous:   # as Fortran stores it: the last index is the slowest
        shape.reverse()
    columns = shape[-1] if len(shape) > 1 else 0
    rows = view.nbytes // view.itemsize // (columns or 1) if view.nbytes else 0
    _named(_REGION, name, address=_address(array), bytes=view.nbytes, elem=view.itemsize,
           rows=rows, cols=columns)


def unregion(array):
    """Ends the region of an array. Freeing the memory does not."""
    _tell(_Call(request=_UNREGION, address=_address(array)))


class _Buffer(ctypes.Structure):
    """Py_buffer, as far as its address; the rest is room."""
    _fields_ = [("buf", ctypes.c_void_p), ("rest", ctypes.c_byte * 256)]


def _address(array):
    buffer = _Buffer()
    api = ctypes.pythonapi
    if api.PyObject_GetBuffer(ctypes.py_object(array), ctypes.byref(buffer), 0x11c):
        raise ValueError("no buffer")
    address = buffer.buf
    api.PyBuffer_Release(ctypes.byref(buffer))
    return address


def begin(name):
    """The phase `name` begins."""
    _tell_at(_phase_calls(name)[0])


def end(name):
    """The phase `name` ends."""
    _tell_at(_phase_calls(name)[1])


@contextlib.contextmanager
def phase(name):
    """A phase, with `with`, or as a decorator."""
    begin(name)
    try:
        yield
    finally:
        end(name)


def mark(name):
    """Names a point in time."""
    _named(_MARK, name)


def state(name, value):
    """The state variable `name` has this value until it gets another."""
    _named(_STATE, name, value=int(value))


def stop():
    """References are left out of the trace from now on."""
    _tell(_Call(request=_STOP))


def start():
    """References are recorded again."""
    _tell(_Call(request=_START))


class _Phases:
    """Turns what the interpreter tells about calls and lines into phases."""

    def __init__(self, folder, lines):
        self.folder, self.lines = os.path.join(folder, ""), lines
        self.local = threading.local()
        self.names = {}     # by id of a code object: the object, and its name

    def name(self, code):
        """File and function of a code object; None: its file is not below the folder."""
        known = self.names.get(id(code))
        if not known:
            path = os.path.realpath(code.co_filename)
            own = (path.startswith(self.folder) and path != os.path.realpath(__file__)
                   and code.co_filename[0] != "<")
            known = code, (os.path.basename(path), code.co_name) if own else None
            self.names[id(code)] = known
        return known[1]

    def move(self, name):
        """Another phase has begun, or none."""
        local = self.local.__dict__
        if local.get("end"):
            _tell_at(local["end"])
        begins, local["end"] = _phase_calls(name)[:2] if name else (0, 0)
        if begins:
            _tell_at(begins)    # at last, so that little of this belongs to the phase

    def profile(self, frame, event, _):
        if event not in ("call", "return"):
            return
        name = self.name(frame.f_code)
        if not name:
            return
        stack = self.local.__dict__.setdefault("stack", [])
        if event == "call":
            stack.append("%s (%s:%d)" % (name[1], name[0], frame.f_code.co_firstlineno))
        elif stack:
            stack.pop()
        self.move(stack[-1] if stack else None)

    def trace(self, frame, event, _):
        name = self.name(frame.f_code)
        if not name:
            return None
        if event == "line":
            self.move("%s:%d" % (name[0], frame.f_lineno))
        elif event == "return":
            caller = frame.f_back
            known = caller and self.name(caller.f_code)
            self.move("%s:%d" % (known[0], caller.f_lineno) if known else None)
        return self.trace

    def watch(self):
        if self.lines:
            threading.settrace(self.trace)
            sys.settrace(self.trace)
        else:
            threading.setprofile(self.profile)
            sys.setprofile(self.profile)

    def leave(self):
        sys.settrace(None)
        sys.setprofile(None)
        self.move(None)


def main(arguments):
    lines = arguments[:1] == ["--lines"]
    script = arguments[lines:]
    if not script or script[0].startswith("-"):
        sys.exit("usage: memlamp.py [--lines] SCRIPT [ARGUMENT...]")
    folder = os.path.dirname(os.path.realpath(script[0]))
    sys.argv = script
    sys.path[0] = folder
    sys.modules["memlamp"] = sys.modules[__name__]
    phases = _Phases(folder, lines)
    phases.watch()
    try:
        runpy.run_path(script[0], run_name="__main__")
    finally:
        phases.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
