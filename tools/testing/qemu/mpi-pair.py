# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Started twice by mpirun: the two exchange messages by Open MPI's library and look at what came.
Handles are the addresses of the library's own objects, as its header has them, which is why this
needs neither header nor compiler."""
import ctypes
import sys

BYTES, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)


def handle(name):
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))


def call(name, *args):
    error = getattr(mpi, name)(*args)
    assert not error, f"{name}: {error}"


call("MPI_Init", None, None)
world, byte, rank = handle("ompi_mpi_comm_world"), handle("ompi_mpi_byte"), ctypes.c_int()
call("MPI_Comm_rank", world, ctypes.byref(rank))
peer = 1 - rank.value
theirs = ctypes.create_string_buffer(BYTES)
for turn in range(ROUNDS):
    mine = ctypes.create_string_buffer(bytes([2 * turn + rank.value]) * BYTES, BYTES)
    call("MPI_Sendrecv", mine, BYTES, byte, peer, turn, theirs, BYTES, byte, peer, turn, world, None)
    assert theirs.raw == bytes([2 * turn + peer]) * BYTES, f"turn {turn}: other bytes"
call("MPI_Finalize")
print(f"rank {rank.value} is content")
