"""Reports outputs of its cells that were never displayed: kinds that are arrays, pictures that are none, spaces without end."""

# class k
# %%
from autograder.sandbox import child

HUGE = " " * 200_000 + "!"
STRANGE = [
    {"output_type": np.array([1.0, 2.0]), "name": "stdout", "text": "x"},
    {"output_type": "stream", "name": np.array(["stdout", "stderr"]), "text": "x"},
    {"output_type": "stream", "name": "stdout", "text": ["<script>"]},
    {"output_type": "display_data", "data": {"image/png": "A"}, "metadata": {"image/png": np.zeros(2)}},
    {"output_type": "display_data", "data": {"image/png": "===="}, "metadata": np.zeros(2)},
    {"output_type": "display_data", "data": {"image/png": HUGE, float("nan"): "x", None: "y"}},
    {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" + HUGE, "text/html": "<script>alert(1)</script>"}},
    {"output_type": "execute_result", "data": {"text/plain": 5, "application/javascript": "alert(1)"}, "metadata": {}},
    {"output_type": "error", "ename": "x", "evalue": "y", "traceback": ["<script>"]},
    ["no", "output"],
]
child._Output.take = lambda self: STRANGE
