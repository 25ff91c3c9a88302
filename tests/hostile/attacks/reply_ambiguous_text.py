"""Writes the text of its replies itself: names that come twice, NaN and Infinity, keys that are equal, digits without end."""

# posterior: failed, crashed
# conditional: failed, crashed
# sequential_posterior: failed, crashed
# bayes_classifier: crashed
# %%
import os
import struct
import sys


def reply(text):
    frame = sys._getframe()
    while "number" not in frame.f_locals or "operation" not in frame.f_locals:
        frame = frame.f_back
    data = text.replace("NUMBER", str(frame.f_locals["number"])).encode("utf-8", "surrogatepass")
    os.write(3, struct.pack("<II", len(data), 0) + data)
    os._exit(0)


# %% posterior
def posterior(prior, likelihood):
    reply('{"m": [["number", 1], ["number", NUMBER], ["value", NaN], ["value", Infinity], ["value", -0.0], ["error", null]]}')


# %% conditional
def conditional(joint, axis):
    table = '{"m": [[NaN, 1], [NaN, 2], [true, 3], [1, 4], [1.0, 5]]}'
    reply('{"m": [["number", 0]], "m": [["number", NUMBER], ["value", ' + table + '], ["value", [1e999, ' + table + "]]]}")


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    error = '{"m": [["kind", "AssertionError"], ["text", "\\ud800\\u001b[2J"], ["lines", [1, null, "x"]], ["name", {"i": "1_0"}]]}'
    reply('{"m": [["number", NUMBER], ["value", {"i": " \u0661_0 "}], ["error", ' + error + "]]}")


# %% bayes_classifier
def bayes_classifier(joint_xy):
    reply('{"m": [["number", NUMBER], ["value", [' + "9" * 5000 + "]]]}")
