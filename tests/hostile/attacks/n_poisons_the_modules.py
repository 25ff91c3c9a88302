"""Changes every module, class and default in its process that the next submission might inherit."""

# class n
# posterior: failed
# earns at most 7
# %%
import builtins
import random
import sys

np.seterr(all="raise")
np.random.seed(666)
random.seed(666)
builtins.SPOILT = True
sys.setrecursionlimit(120)
np.pi = 3.0
np.set_printoptions(precision=1)
plt.rcParams["figure.dpi"] = 1
import checks.checking

checks.checking.Check.run = lambda self, student: None
sys.modules["numpy"] = sys.modules["json"] = sys.modules["checks"] = sys.modules["autograder.sandbox.wire"] = None


# %% posterior
def posterior(prior, likelihood):
    return np.pi
