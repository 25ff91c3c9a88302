"""Answers that are right by the plan of the course alone get full marks: what a notebook adds to it costs nothing."""

from __future__ import annotations

import pytest
from sample_class import REPOSITORY, need, source_of

from autograder.course import notebook
from autograder.engine.jobs import Job, Settings
from autograder.grading.local import grade_locally
from autograder.validity import samples

# By notebook and function: the formula as the plan has it, and nothing else.
PLAIN: dict[str, dict[str, str]] = {
    "01_bayes_rule": {
        "bayes_binary": """
def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    p, hit, alarm = (np.asarray(v, dtype=float) for v in (p_a, p_b_given_a, p_b_given_not_a))
    if any(np.any(v < 0) or np.any(v > 1) for v in (p, hit, alarm)):
        raise ValueError("no probability")
    evidence = p * hit + (1 - p) * alarm
    if np.any(evidence == 0):
        raise ValueError("no evidence")
    return p * hit / evidence""",
        "posterior": """
def posterior(prior, likelihood):
    prior, likelihood = np.asarray(prior, dtype=float), np.asarray(likelihood, dtype=float)
    if not np.isclose(prior.sum(), 1):
        raise ValueError("a prior sums to 1")
    joint = prior * likelihood
    if joint.sum() == 0:
        raise ValueError("the data are impossible")
    return joint / joint.sum()""",
        "sequential_posterior": """
def sequential_posterior(prior, likelihoods):
    rows = [np.asarray(prior, dtype=float)]
    for likelihood in np.asarray(likelihoods, dtype=float):
        rows.append(rows[-1] * likelihood / (rows[-1] @ likelihood))
    return np.array(rows)""",
        "prob": """
def prob(joint, event, given=None):
    joint, event = np.asarray(joint, dtype=float), np.asarray(event, dtype=bool)
    if given is None:
        return joint[event].sum()
    given = np.asarray(given, dtype=bool)
    if joint[given].sum() == 0:
        raise ValueError("the condition is impossible")
    return joint[event & given].sum() / joint[given].sum()""",
        "conditional": """
def conditional(joint, axis):
    joint = np.asarray(joint, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return joint / joint.sum(axis=axis, keepdims=True)""",
        "bayes_classifier": """
def bayes_classifier(joint_xy):
    joint = np.asarray(joint_xy, dtype=float)
    joint = joint / joint.sum()
    return np.argmax(joint, axis=1).astype(float), 1 - joint.max(axis=1).sum()""",
    },
    "02_maximum_likelihood": {
        "bernoulli_pmf": """
def bernoulli_pmf(x, theta):
    x, theta = np.asarray(x, dtype=float), np.asarray(theta, dtype=float)
    if np.any((x != 0) & (x != 1)):
        raise ValueError("x is 0 or 1")
    return theta**x * (1 - theta)**(1 - x)""",
        "likelihood": """
def likelihood(theta, x):
    theta, x = np.asarray(theta, dtype=float), np.asarray(x, dtype=float)
    return np.prod(theta[..., None]**x * (1 - theta[..., None])**(1 - x), axis=-1)""",
        "log_likelihood": """
def log_likelihood(theta, x):
    theta, x = np.asarray(theta, dtype=float), np.asarray(x)
    with np.errstate(divide="ignore"):
        return np.where(x == 1, np.log(theta)[..., None], np.log1p(-theta)[..., None]).sum(axis=-1)""",
        "score": "def score(theta, n1, n0):\n    return np.divide(n1, theta) - np.divide(n0, np.subtract(1, theta))",
        "mle_categorical": """
def mle_categorical(x, n_outcomes):
    x = np.asarray(x)
    if len(x) == 0:
        raise ValueError("empty")
    if np.any(x < 0) or np.any(x >= n_outcomes):
        raise ValueError("range")
    return np.array([np.mean(x == m) for m in range(n_outcomes)])""",
        "gaussian_estimates": """
def gaussian_estimates(X):
    X = np.asarray(X, dtype=float)
    n = X.shape[0]
    unbiased = X.var(axis=0, ddof=1) if n > 1 else np.full(X.shape[1], np.nan)
    return X.mean(axis=0), X.var(axis=0), unbiased""",
    },
    "03_naive_bayes": {
        "parameter_counts": """
def parameter_counts(d, n_values=2, n_classes=2):
    return dict(full=n_classes * (n_values**d - 1), naive=n_classes * d * (n_values - 1),
                full_entries=n_classes * n_values**d, naive_entries=n_classes + d * n_values * n_classes)""",
        "conditional_tables": """
def conditional_tables(counts):
    counts = np.asarray(counts, dtype=float)
    with np.errstate(invalid="ignore"):
        return counts / counts.sum(axis=1, keepdims=True)""",
        "fit_bernoulli_nb": """
def fit_bernoulli_nb(X, y, n_classes):
    X, members = np.asarray(X, dtype=float), np.equal.outer(np.arange(n_classes), y)
    return members.mean(axis=1), members @ X / members.sum(axis=1, keepdims=True)""",
        "joint_log_likelihood": """
def joint_log_likelihood(X, prior, theta):
    X, prior, theta = np.asarray(X), np.asarray(prior, dtype=float), np.asarray(theta, dtype=float)
    out = np.empty((len(X), len(prior)))
    for k in range(len(prior)):
        out[:, k] = np.log(prior[k]) + np.where(X == 1, np.log(theta[k]), np.log(1 - theta[k])).sum(axis=1)
    return out""",
        "predict_proba": """
def predict_proba(jll):
    jll = np.asarray(jll, dtype=float)
    top = jll.max(axis=1, keepdims=True)
    p = np.exp(jll - np.where(np.isfinite(top), top, 0))
    p[np.isneginf(top[:, 0])] = 1
    return p / p.sum(axis=1, keepdims=True)""",
        "fit_gaussian_nb": """
def fit_gaussian_nb(X, y, n_classes):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    prior = np.zeros(n_classes)
    mean, var = np.full((n_classes, X.shape[1]), np.nan), np.full((n_classes, X.shape[1]), np.nan)
    for k in range(n_classes):
        rows = X[y == k]
        if len(rows) == 1:
            raise ValueError("one row")
        if len(rows):
            prior[k], mean[k], var[k] = len(rows) / len(X), rows.mean(axis=0), rows.var(axis=0, ddof=1)
    return prior, mean, var""",
        "gnb_linear_weights": """
def gnb_linear_weights(prior, mean, var):
    prior, mean, var = (np.asarray(v, dtype=float) for v in (prior, mean, var))
    w = (mean[1] - mean[0]) / var
    return np.log(prior[1] / prior[0]) + ((mean[0]**2 - mean[1]**2) / (2 * var)).sum(), w""",
    },
    "04_smoothing": {
        "laplace": """
def laplace(counts, k):
    counts = np.asarray(counts)
    if k < 0:
        raise ValueError("negative k")
    if np.isinf(k):
        return np.ones(counts.shape) / counts.shape[-1]
    total = counts.sum(axis=-1, keepdims=True)
    if k == 0 and np.any(total == 0):
        raise ValueError("no data")
    return (counts + k) / (total + k * counts.shape[-1])""",
        "fit_bernoulli_nb_smoothed": """
def fit_bernoulli_nb_smoothed(X, y, k, n_classes, k_prior=0.0):
    X, y = np.asarray(X), np.asarray(y)
    X = X.astype(int) if X.dtype == bool else X
    members = [(y == c).astype(X.dtype) for c in range(n_classes)]
    size = np.array([np.count_nonzero(m) for m in members])
    theta = np.array([(m @ X + k) / (m.sum() + 2 * k) for m in members])
    return (size + k_prior) / (len(y) + k_prior * n_classes), theta""",
        "beta_estimates": """
def beta_estimates(n1, n0, a, b):
    if a < 1 or b < 1:
        raise ValueError("the peak needs a and b of at least 1")
    n = n1 + n0
    return {"mle": n1 / n if n else None, "map": (n1 + a - 1) / (n + a + b - 2), "mean": (n1 + a) / (n + a + b)}""",
        "fit_categorical_nb": """
def fit_categorical_nb(X, y, n_values, n_classes, pseudo):
    X, y = np.asarray(X), np.asarray(y)
    pseudo = np.ones(n_values) * pseudo
    table = np.zeros((n_classes, X.shape[1], n_values))
    for c in range(n_classes):
        for m in range(n_values):
            table[c, :, m] = (X[y == c] == m).sum(axis=0) + pseudo[m]
    prior = np.array([np.mean(y == c) for c in range(n_classes)])
    return prior, table / table.sum(axis=2, keepdims=True)""",
        "choose_k": """
def choose_k(X_tr, y_tr, X_va, y_va, grid):
    X_va, y_va = np.asarray(X_va), np.asarray(y_va)
    accuracies = []
    for k in grid:
        prior, theta = fit_bernoulli_nb_smoothed(X_tr, y_tr, k, 2)
        scores = np.empty((len(X_va), 2))
        for c in range(2):
            scores[:, c] = np.log(prior[c]) + np.where(X_va == 1, np.log(theta[c]), np.log(1 - theta[c])).sum(axis=1)
        accuracies.append((scores.argmax(axis=1) == y_va).mean())
    return grid[int(np.argmax(accuracies))], np.array(accuracies)""",
        "log_evidence": """
def log_evidence(n1, n0, a, b):
    from math import lgamma
    return lgamma(a + n1) + lgamma(b + n0) - lgamma(a + b + n1 + n0) - lgamma(a) - lgamma(b) + lgamma(a + b)""",
    },
    "05_logistic_derivation": {
        "sigmoid": """
def sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -700, 700)))""",
        "predict_proba": """
def predict_proba(X, w):
    return sigmoid(np.column_stack([np.ones(len(X)), X]) @ w)""",
        "log_likelihood": """
def log_likelihood(w, X, y):
    z = np.dot(X, w)
    return np.sum(np.multiply(y, z) - np.logaddexp(0, z))""",
        "chain_rule_terms": """
def chain_rule_terms(w, x, y):
    p = 1 / (1 + np.exp(-np.dot(w, x)))
    return y / p - (1 - y) / (1 - p), p * (1 - p), np.asarray(x)""",
        "gradient": """
def gradient(w, X, y):
    X = np.asarray(X)
    return (y - 1 / (1 + np.exp(-(X @ w)))) @ X""",
        "numerical_gradient": """
def numerical_gradient(f, w, h=1e-5):
    w = np.array(w, dtype=float)
    slopes = np.zeros_like(w)
    for i in range(w.size):
        up, down = w.copy(), w.copy()
        up.flat[i] += h
        down.flat[i] -= h
        slopes.flat[i] = (f(up) - f(down)) / (2 * h)
    return slopes""",
        "signed_distance": """
def signed_distance(w, X):
    length = np.linalg.norm(w[1:])
    if np.isclose(length, 0):
        raise ValueError("no boundary")
    return (w[0] + np.dot(X, w[1:])) / length""",
        "derivation": """
def derivation():
    return ["(y/p - (1-y)/(1-p)) * p*(1-p)*x", "y*x - p*x", "(y - p)*x"]""",
    },
    "06_gradient_ascent": {
        "batch_step": """
def batch_step(w, X, y, eta):
    X = np.asarray(X)
    return w + eta * (y - 1 / (1 + np.exp(-(X @ w)))) @ X""",
        "gradient_ascent": """
def gradient_ascent(X, y, eta, n_steps, w0=None):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    walk = [np.zeros(X.shape[1]) if w0 is None else np.array(w0, dtype=float)]
    for _ in range(n_steps):
        walk.append(walk[-1] + eta * X.T @ (y - 1 / (1 + np.exp(-(X @ walk[-1])))))
    return walk[-1], [np.sum(y * (X @ w) - np.logaddexp(0, X @ w)) for w in walk]""",
        "sgd_epoch": """
def sgd_epoch(w, X, y, eta, order):
    X, w = np.asarray(X), np.array(w, dtype=float)
    for i in order:
        w = w + eta * (y[i] - 1 / (1 + np.exp(-(X[i] @ w)))) * X[i]
    return w""",
        "stable_step_size": """
def stable_step_size(X, lam=0.0):
    return 1 / (np.linalg.norm(X, 2) ** 2 / 4 + lam)""",
        "penalized_gradient": """
def penalized_gradient(w, X, y, lam):
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    return X.T @ (y - 1 / (1 + np.exp(-(X @ w)))) - lam * np.append(0, w[1:])""",
        "standardize": """
def standardize(X_train, X_other):
    train, other = np.asarray(X_train, dtype=float), np.asarray(X_other, dtype=float)
    spread = train.std(axis=0)
    spread[spread == 0] = np.inf
    return (train - train.mean(axis=0)) / spread, (other - train.mean(axis=0)) / spread""",
    },
    "07_newton_raphson": {
        "hessian": """
def hessian(w, X):
    X = np.asarray(X)
    p = 1 / (1 + np.exp(-(X @ w)))
    return -X.T @ (X * (p * (1 - p))[:, np.newaxis])""",
        "newton_step": """
def newton_step(w, X, y, lam=0.0):
    X, w = np.asarray(X, dtype=float), np.asarray(w, dtype=float)
    ridge = lam * np.diag(np.append(0, np.ones(len(w) - 1)))
    slope = X.T @ (y - 1 / (1 + np.exp(-(X @ w)))) - ridge @ w
    return w - np.linalg.inv(hessian(w, X) - ridge) @ slope""",
        "quadratic_features": """
def quadratic_features(X, interaction=True):
    X = np.asarray(X)
    table = np.hstack([X, X**2, X[:, :1] * X[:, 1:2]]).astype(float)
    return table if interaction else table[:, :4]""",
        "irls_step": """
def irls_step(w, X, y):
    X = np.asarray(X)
    p = 1 / (1 + np.exp(-(X @ w)))
    weight = np.clip(p * (1 - p), 1e-6, None)
    target = X @ w + (y - p) / weight
    return np.linalg.solve((X.T * weight) @ X, (X.T * weight) @ target)""",
        "newton_coin": """
def newton_coin(theta, n1, n0):
    return theta + (n1 / theta - n0 / (1 - theta)) / (n1 / theta**2 + n0 / (1 - theta)**2)""",
        "newton_fit": """
def newton_fit(X, y, lam=0.0, tol=1e-8, max_iter=50):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    height = lambda w: y @ (X @ w) - np.logaddexp(0, X @ w).sum() - lam / 2 * (w[1:] @ w[1:])
    w, history = np.zeros(X.shape[1]), [len(y) * -np.log(2)]
    for _ in range(max_iter):
        if np.abs(X.T @ (y - sigma(X @ w)) - lam * np.append(0, w[1:])).max() <= tol:
            break
        step = newton_step(w, X, y, lam) - w
        while height(w + step) < history[-1] - 1e-9:
            step = step / 2
        w = w + step
        history.append(height(w))
    return w, history""",
    },
    "08_softmax": {
        "softmax": """
def softmax(Z):
    powers = np.exp(Z - np.max(Z, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)""",
        "log_likelihood": """
def log_likelihood(W, X, y):
    scores = np.dot(X, W)
    return np.sum(scores[np.arange(len(scores)), y] - np.logaddexp.reduce(scores, axis=1))""",
        "gradient": """
def gradient(W, X, y):
    return np.transpose(X) @ (one_hot(y, np.shape(W)[1]) - softmax(np.dot(X, W)))""",
        "fit_softmax": """
def fit_softmax(X, y, n_classes, lam=1.0, eta=None, n_steps=300):
    eta = 1 / (np.linalg.norm(X, 2) ** 2 / 2 + lam) if eta is None else eta
    walk = [np.zeros((np.shape(X)[1], n_classes))]
    for _ in range(n_steps):
        walk.append(walk[-1] + eta * (gradient(walk[-1], X, y) - lam * np.vstack([0 * walk[-1][:1], walk[-1][1:]])))
    return walk[-1], [log_likelihood(W, X, y) - lam / 2 * np.sum(W[1:] ** 2) for W in walk]""",
        "to_reference": """
def to_reference(W):
    W = np.asarray(W)
    return (W - W[:, -1:])[:, :-1]""",
        "one_hot": """
def one_hot(y, n_classes):
    y = np.asarray(y)
    if np.any(y < 0) or np.any(y >= n_classes):
        raise ValueError("no such class")
    return np.eye(n_classes)[y]""",
    },
}
CASES = [(stem, function) for stem, functions in PLAIN.items() for function in functions]


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, str], float]:
    """The share of an exercise's points that its plain answer keeps, by notebook and function."""
    jobs = []
    for stem, function in CASES:
        answer = samples.answered(source_of(REPOSITORY, stem), {function: PLAIN[stem][function]})
        jobs.append(Job(function, stem, notebook.dumps(answer), only=function))
    shares = {}
    for outcome in grade_locally(jobs, Settings(REPOSITORY.root, need("portable")), workers=2, stems=list(PLAIN)):
        result = outcome.result
        assert result.ungraded is None
        own = next(exercise for exercise in result.exercises if exercise.name == result.student)
        shares[result.assignment, result.student] = own.score / own.points
    return shares


@pytest.mark.parametrize(("stem", "function"), CASES)
def test_a_formula_of_the_plan_keeps_its_points(stem: str, function: str, kept: dict[tuple[str, str], float]) -> None:
    assert kept[stem, function] == 1
