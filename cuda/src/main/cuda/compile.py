#!/usr/bin/env python3
"""Compiles kernels.cu to PTX with NVIDIA's NVRTC 13.0, and writes it into the resources of the module.

    python3 compile.py [LIBNVRTC]          the library's path, or else libnvrtc.so.13 on the loader's path

The PTX is for compute capability 7.5, so every GPU since Turing runs it; the driver makes machine code of it. Its first
line has the SHA-256 of the source, which a test compares. With --check ARCH... it compiles for these, such as sm_90, and
writes nothing.
"""
import ctypes
import gzip
import hashlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parent / "resources/io/hazelgrad/cuda/internal/kernels.ptx.gz"


def compiled(nvrtc, source, architecture):
    program = ctypes.c_void_p()
    options = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false", b"--std=c++17"]

    def call(name, *arguments):
        result = getattr(nvrtc, name)(*arguments)
        if result != 0:
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            sys.exit(f"{name} for {architecture} failed: {result}\n{log.value.decode()}")

    call("nvrtcCreateProgram", ctypes.byref(program), source, b"kernels.cu", 0, None, None)
    call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
    kind = "PTX" if architecture.startswith("compute") else "CUBIN"
    size = ctypes.c_size_t()
    call(f"nvrtcGet{kind}Size", program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    call(f"nvrtcGet{kind}", program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


def main():
    arguments = sys.argv[1:]
    check = []
    if "--check" in arguments:
        at = arguments.index("--check")
        check = arguments[at + 1:]
        arguments = arguments[:at]
    nvrtc = ctypes.CDLL(arguments[0] if arguments else "libnvrtc.so.13")
    source = (HERE / "kernels.cu").read_bytes()
    for architecture in check:
        print(f"{architecture}: {len(compiled(nvrtc, source, architecture))} bytes")
    if not check:
        ptx = compiled(nvrtc, source, "compute_75").rstrip(b"\0").decode()
        text = f"// source {hashlib.sha256(source).hexdigest()}\n{ptx}"
        TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        print(f"{TARGET}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
