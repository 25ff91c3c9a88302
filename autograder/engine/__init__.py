"""One submission becomes one result: run its notebook, ask its checks, give marks, follow errors through."""
