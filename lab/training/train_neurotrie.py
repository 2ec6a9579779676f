#!/usr/bin/env python3
"""Fits the learned stride chooser of the scheme `neurotrie` and writes its numbers as C++.

    train_neurotrie.py [--write learned_weights.cpp] TABLE... [-- TABLE...]

Tables are text, a prefix first in each line, perhaps compressed with xz. The chooser is fitted to those
before `--`, and compared with the exact one on those after it, which should be others. Needs NumPy. The same
tables give the same numbers on the same machine: the seed is fixed, and one thread computes.

fingerpost/schemes/neurotrie/learned.hpp describes the fitted functions and the inputs of the network;
learned.cpp evaluates them with the numbers written here. Next hops are taken to be all distinct.
"""

from __future__ import annotations

import argparse
import ipaddress
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  (reads the number of threads when it is loaded)

SEED = 1
WIDEST = 16
HEADER, BLOCK, LEAF = 16, 24, 2
STRIDES = np.arange(WIDEST + 1)
BLOCKS = np.ceil(2.0**STRIDES / 64)
# Prices of a byte, in node visits. Near the minimum memory, where the choice is hard, a byte costs about one visit.
PRICES = np.array(
    [1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 8e-3, 0.016, 0.03, 0.06, 0.12, 0.25, 0.4, 0.7, 1.2, 2.5, 5, 10]
)
CHEAPEST, DEAREST = 1e-5, 30.0
HIDDEN = 32
# Each table is used whole and, so that sparse tables are covered, with some of its routes only.
SHARES = (1.0, 0.3)
EPOCHS, BATCH, RATE = (10, 10, 24), 1024, 2e-3
Picked = list[np.ndarray]  # for each depth, strides by vertex
Rule = Callable[[int, np.ndarray], np.ndarray]  # strides of these vertices of a depth
Chooser = Callable[["Trie", float], Rule]  # at a price of a byte


def read_prefixes(path: Path) -> list[tuple[int, int]]:
    """(first bits, how many) of each prefix, in prefix order."""
    prefixes = set()
    width = 0
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                net = ipaddress.ip_network(line.split()[0], strict=False)
                width = net.max_prefixlen
                prefixes.add((int(net.network_address), net.prefixlen))
    return [(address >> (width - length), length) for address, length in sorted(prefixes)]


class Trie:
    """The inner vertices of a table by depth, with the contents of a node for each stride: see vertices.hpp.

    For depth d: below[d][v, side] is a vertex of the next depth or -1; size[d][v, s] bytes, children[d][v, s],
    weights[d][v, s] of the children, inner[d][v] vertices at or below, height[d][v], weight[d][v].
    """

    def __init__(self, prefixes: list[tuple[int, int]]) -> None:
        self.routes = len(prefixes)
        self._find_vertices(prefixes)
        self._sum_upwards()

    def _find_vertices(self, prefixes: list[tuple[int, int]]) -> None:
        number = {prefix: i for i, prefix in enumerate(prefixes)}
        vertices: list[dict[int, int]] = [{} for _ in range(max(length for _, length in prefixes))]
        for bits, length in prefixes:
            for depth in range(length - 1, -1, -1):
                current = vertices[depth]
                if bits >> (length - depth) in current:
                    break  # including the vertices above
                current[bits >> (length - depth)] = len(current)
        self.depths = len(vertices)
        self.below, self._answers, self._share, self._ends = [], [], [], []
        inherited = [(number.get((0, 0), -1), float((0, 0) in number))]
        for depth, current in enumerate(vertices):
            lower = vertices[depth + 1] if depth + 1 < self.depths else {}
            below = np.full((len(current), 2), -1, np.int64)
            answers = np.zeros((len(current), 2), np.int64)
            ends = np.zeros(len(current))
            passed: list[tuple[int, float]] = [(0, 0.0)] * len(lower)
            for bits, v in current.items():
                answer, share = inherited[v]
                for side in (0, 1):
                    route = number.get((2 * bits + side, depth + 1), -1)
                    ends[v] += route >= 0
                    index = lower.get(2 * bits + side, -1)
                    below[v, side] = index
                    answers[v, side] = answer if route < 0 else route
                    if index >= 0:
                        passed[index] = (int(answers[v, side]), share / 2 + (route >= 0))
            self.below.append(below)
            self._answers.append(answers)
            self._share.append(np.array([share for _, share in inherited]))
            self._ends.append(ends)
            inherited = passed

    def _sum_upwards(self) -> None:
        self.size, self.children, self.weights = [], [], []
        self.inner, self.height, self.weight = [], [], []
        lower: dict[str, np.ndarray] = {}
        for depth in range(self.depths - 1, -1, -1):
            below = self.below[depth]
            count = len(below)
            sides: dict[str, np.ndarray] = {}
            for name in ("children", "runs", "first", "last", "weights"):
                answers = self._answers[depth]
                of_leaf = {"runs": 1, "first": answers, "last": answers}.get(name, 0)
                both = np.zeros((count, 2, WIDEST + 1))
                both[:, :, 1:] = of_leaf if np.isscalar(of_leaf) else of_leaf[:, :, None]
                for side in (0, 1):
                    is_inner = below[:, side] >= 0
                    if is_inner.any():
                        both[is_inner, side, 1:] = lower[name][below[is_inner, side], :WIDEST]
                sides[name] = both
            left = {name: both[:, 0] for name, both in sides.items()}
            right = {name: both[:, 1] for name, both in sides.items()}
            own = {name: left[name] + right[name] for name in ("children", "runs", "weights")}
            own["runs"] -= (left["last"] == right["first"]) & (left["last"] != NO_ANSWER)
            own["first"] = np.where(left["first"] != NO_ANSWER, left["first"], right["first"])
            own["last"] = np.where(right["last"] != NO_ANSWER, right["last"], left["last"])
            routes, inner, height = self._ends[depth].copy(), np.ones(count), np.ones(count, np.int64)
            for side in (0, 1):
                is_inner = below[:, side] >= 0
                if is_inner.any():
                    under = below[is_inner, side]
                    routes[is_inner] += lower["routes"][under]
                    inner[is_inner] += lower["inner"][under]
                    height[is_inner] = np.maximum(height[is_inner], 1 + lower["height"][under])
            weight = routes + self._share[depth]
            own["children"][:, 0], own["runs"][:, 0], own["weights"][:, 0] = 1, 0, weight
            own["first"][:, 0] = own["last"][:, 0] = NO_ANSWER
            lower = own | {"routes": routes, "inner": inner, "height": height}
            self.size.append(BLOCK * BLOCKS + HEADER * own["children"] + LEAF * own["runs"])
            self.children.append(own["children"])
            self.weights.append(own["weights"])
            self.inner.append(inner)
            self.height.append(height)
            self.weight.append(weight)
        for of_depths in (self.size, self.children, self.weights, self.inner, self.height, self.weight):
            of_depths.reverse()

    def allowed(self, depth: int, v: np.ndarray) -> np.ndarray:
        """The valid strides from 1 on for a vertex: up to the first one without a child."""
        return STRIDES[None, 1:] <= self.height[depth][v][:, None]

    def exact(self, price: float) -> tuple[list[np.ndarray], Picked, list[np.ndarray]]:
        """The exact program: for each depth the cost of each stride, the best stride, and its cost."""
        costs, picked, least = [], [], []
        sums = np.zeros((0, WIDEST + 1))
        for depth in range(self.depths - 1, -1, -1):
            below = self.below[depth]
            under = np.zeros((len(below), WIDEST + 1))
            for side in (0, 1):
                is_inner = below[:, side] >= 0
                if is_inner.any():
                    under[is_inner, 1:] += sums[below[is_inner, side], :WIDEST]
            cost = under[:, 1:] + self.weight[depth][:, None] + price * self.size[depth][:, 1:]
            cost[~self.allowed(depth, np.arange(len(below)))] = np.inf
            best = cost.argmin(1)
            costs.append(cost)
            picked.append(best + 1)
            least.append(cost[np.arange(len(best)), best])
            under[:, 0] = least[-1]
            sums = under
        return costs[::-1], picked[::-1], least[::-1]

    def walk(self, rule: Rule) -> tuple[float, float, Picked]:
        """Bytes, average depth and, by depth, the vertices at which nodes begin, from the root down."""
        size, work = float(HEADER), 0.0
        begin: list[list[np.ndarray]] = [[] for _ in range(self.depths + WIDEST + 1)]
        begin[0].append(np.zeros(1, np.int64))
        visited: Picked = []
        for depth in range(self.depths):
            v = np.concatenate(begin[depth]) if begin[depth] else np.zeros(0, np.int64)
            visited.append(v)
            if not len(v):
                continue
            strides = rule(depth, v)
            size += self.size[depth][v, strides].sum()
            work += self.weight[depth][v].sum()
            for stride in np.unique(strides):
                under = v[strides == stride]
                for level in range(stride):
                    if depth + level >= self.depths:
                        under = under[:0]
                        break
                    under = self.below[depth + level][under].ravel()
                    under = under[under >= 0]
                if len(under):
                    begin[depth + stride].append(under)
        return size, work / self.routes, visited


NO_ANSWER = -2


def left_below(trie: Trie, depth: int, v: np.ndarray) -> np.ndarray:
    """Inner vertices at or below the children of a node, for each stride from 1 on."""
    return trie.inner[depth][v][:, None] - np.cumsum(trie.children[depth][v][:, :WIDEST], 1)


def value_at(value: np.ndarray, price: float) -> list[float]:
    return [float(np.interp(np.log(price), np.log(PRICES), value[:, k])) for k in range(3)]


def inputs_of(trie: Trie, depth: int, v: np.ndarray, price: float, value: np.ndarray) -> np.ndarray:
    """Like learned_rule::inputs_of."""
    per_weight, per_child, per_inner = value_at(value, price)
    weight = np.maximum(trie.weight[depth][v], 1e-3)[:, None]
    size, children = trie.size[depth][v][:, 1:], trie.children[depth][v][:, 1:]
    under = trie.weights[depth][v][:, 1:]
    there = trie.allowed(depth, v)
    below = per_weight * under + price * (per_child * children + per_inner * left_below(trie, depth, v))
    score = np.where(there, np.log(np.maximum(price * size + below + weight, 1e-9)), np.inf)
    return np.hstack(
        [
            np.minimum(score - score.min(1, keepdims=True), 3),
            np.where(there, under / weight, 0),
            np.where(there, np.log2(1 + children) / 8, 0),
            np.where(there, np.clip(np.log2(price * size / weight), -12, 12) / 6, 2),
            np.log2(weight) / 8,
            np.log2(trie.inner[depth][v][:, None]) / 8,
            np.minimum(trie.height[depth][v], 64)[:, None] / 32,
            np.full_like(weight, np.log2(price) / 8),
        ]
    )


def fit_value(tries: list[Trie]) -> np.ndarray:
    """a, b and c for each price, by least squares over the nodes that the exact program chooses."""
    fitted = []
    for price in PRICES:
        rows, targets = [], []
        for trie in tries:
            _, picked, least = trie.exact(price)
            visited = trie.walk(lambda depth, v, picked=picked: picked[depth][v])[2]
            for depth, v in enumerate(visited):
                if depth > 0 and len(v):
                    sums = (trie.weight[depth][v], np.full(len(v), price), price * trie.inner[depth][v])
                    rows.append(np.stack(sums, 1))
                    targets.append(least[depth][v])
        cost = np.concatenate(targets)
        scale = cost**-0.5  # between absolute and relative errors
        fitted.append(np.linalg.lstsq(np.concatenate(rows) * scale[:, None], cost * scale, rcond=None)[0])
    return np.array(fitted)


class Network:
    """Three layers. The logit of a stride is its output minus 8 times its first input."""

    def __init__(self, sizes: list[int], rng: np.random.Generator) -> None:
        self.layers = []
        for size, wider in zip(sizes, sizes[1:]):
            self.layers += [rng.normal(0, (2 / size) ** 0.5, (size, wider)), np.zeros(wider)]
        self.layers[-2] *= 0.1
        self.mean = [np.zeros_like(layer) for layer in self.layers]
        self.square = [np.zeros_like(layer) for layer in self.layers]
        self.steps = 0

    def run(self, inputs: np.ndarray) -> list[np.ndarray]:
        through = [inputs]
        for i in range(0, len(self.layers), 2):
            now = through[-1] @ self.layers[i] + self.layers[i + 1]
            last = i + 2 == len(self.layers)
            through.append(now - 8 * inputs[:, :WIDEST] if last else np.maximum(now, 0))
        return through

    def step(self, inputs: np.ndarray, there: np.ndarray, regret: np.ndarray, rate: float) -> float:
        """One step of Adam on the expected regret, which it returns."""
        through = self.run(inputs)
        logits = np.where(there, through[-1], -1e9)
        chance = np.exp(logits - logits.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        expected = (chance * regret).sum(1)
        back = chance * (regret - expected[:, None]) / len(inputs)
        self.steps += 1
        for i in range(len(self.layers) - 2, -1, -2):
            slopes = (through[i // 2].T @ back, back.sum(0))
            back = (back @ self.layers[i].T) * (through[i // 2] > 0)
            for k, slope in zip((i, i + 1), slopes):
                self.mean[k] += 0.1 * (slope - self.mean[k])
                self.square[k] += 0.001 * (slope**2 - self.square[k])
                step = self.mean[k] / (1 - 0.9**self.steps)
                self.layers[k] -= rate * step / ((self.square[k] / (1 - 0.999**self.steps)) ** 0.5 + 1e-9)
        return float(expected.mean())


def learned(trie: Trie, price: float, value: np.ndarray, network: Network | None) -> Rule:
    """The chooser at a price. Without a network it uses only the scores of the value."""

    def rule(depth: int, v: np.ndarray) -> np.ndarray:
        inputs = inputs_of(trie, depth, v, price, value)
        logits = -inputs[:, :WIDEST] if network is None else network.run(inputs)[-1]
        return 1 + np.where(trie.allowed(depth, v), logits, -np.inf).argmax(1)

    return rule


def add_examples(
    to: list[np.ndarray], trie: Trie, value: np.ndarray, choose: Chooser, rng: np.random.Generator
) -> None:
    """Inputs, available strides, and the excess cost of each stride over the best one, at all prices.

    At each price the examples are some of the vertices that the exact program visits, and as many of those that `choose` visits, so that
    the network sees where a worse chooser leads.
    """
    most, least_of_depth = 2000, 30
    matches: list[list[np.ndarray]] = [[], [], []]
    for price in PRICES:
        costs, picked, least = trie.exact(price)
        for rule in (lambda depth, v, p=picked: p[depth][v], choose(trie, price)):
            visited = trie.walk(rule)[2]
            part = most / sum(map(len, visited))
            for depth, v in enumerate(visited):
                if len(v) > least_of_depth:
                    v = rng.choice(v, min(len(v), max(least_of_depth, int(len(v) * part))), replace=False)
                if not len(v):
                    continue
                there = trie.allowed(depth, v)
                best = least[depth][v][:, None]
                more = np.where(there, np.minimum((costs[depth][v] - best) / best, 2), 0)
                matches[0].append(inputs_of(trie, depth, v, price, value))
                matches[1].append(there)
                matches[2].append(more * best**0.5 / least[0][0] ** 0.25)
    for i, rows in enumerate(matches):
        to[i] = np.concatenate([to[i], *rows] if len(to[i]) else rows)


def fit(tables: list[list[tuple[int, int]]]) -> tuple[np.ndarray, Network]:
    """Works in rounds: each adds the vertices visited by the previous round's chooser, starting with the value's."""
    rng = np.random.default_rng(SEED)
    tries = [
        Trie([prefix for prefix, is_kept in zip(prefixes, rng.random(len(prefixes)) < share) if is_kept])
        for prefixes in tables
        for share in SHARES
    ]
    value = fit_value(tries)
    print("value: a, b, c by price\n", np.round(value, 2), flush=True)
    network = Network([4 * WIDEST + 4, HIDDEN, HIDDEN, WIDEST], rng)
    rows: list[np.ndarray] = [np.zeros(0), np.zeros(0), np.zeros(0)]
    for round_, epochs in enumerate(EPOCHS):
        so_far = network if round_ > 0 else None
        for trie in tries:
            add_examples(rows, trie, value, lambda t, p, n=so_far: learned(t, p, value, n), rng)
        inputs, there, regret = rows
        for epoch in range(epochs):
            rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
            order = rng.permutation(len(inputs))
            total = 0.0
            for at in range(0, len(order), BATCH):
                now = order[at : at + BATCH]
                total += network.step(inputs[now], there[now], regret[now], rate) * len(now)
        print(f"round {round_ + 1}: {len(inputs)} examples, regret {total / len(inputs):.5f}", flush=True)
    return value, network


def within(
    budget: float, tried: Callable[[float], tuple[float, float]], low: float, high: float
) -> float | None:
    """The average depth at the smallest price that keeps the budget."""
    best = None
    for _ in range(14):
        middle = (low * high) ** 0.5
        size, depth = tried(middle)
        if size <= budget:
            high, best = middle, depth
        else:
            low = middle
    if best is None and tried(high)[0] <= budget:
        best = tried(high)[1]
    return best


def compare(name: str, trie: Trie, value: np.ndarray, network: Network) -> None:
    def by_exact(price: float) -> tuple[float, float]:
        picked = trie.exact(price)[1]
        return trie.walk(lambda depth, v: picked[depth][v])[:2]

    def by_learned(price: float) -> tuple[float, float]:
        return trie.walk(learned(trie, price, value, network))[:2]

    least = by_exact(1e4)[0]
    print(f"{name}: {trie.routes} routes, least memory {least / trie.routes:.2f} bytes a route")
    for share in (1.08, 1.13, 1.25, 1.6, 2.5, 6):
        exact = within(share * least, by_exact, 1e-6, 1e4)
        own = within(share * least, by_learned, CHEAPEST, DEAREST)
        gap = f"{100 * (own / exact - 1):+.2f} %" if own and exact else "none"
        print(f"  {share} times the least: exact {exact:.3f}, learned {gap}", flush=True)


def as_cpp(value: np.ndarray, network: Network, tables: list[str]) -> str:
    def number(x: float) -> str:
        text = f"{x:.6g}"
        return text if any(c in text for c in ".e") else text + ".0"

    def rows(of: np.ndarray, suffix: str) -> str:
        if of.ndim == 2:
            return ",\n".join("{" + rows(row, suffix) + "}" for row in of)
        return ", ".join(number(x) + suffix for x in of)

    logs = np.column_stack([np.log(PRICES), value])
    names = ("first[inputs][hidden]", "first_bias[hidden]", "second[hidden][hidden]", "second_bias[hidden]",
             "third[hidden][outputs]", "third_bias[outputs]")  # fmt: skip
    text = (
        f"// Written by lab/training/train_neurotrie.py with seed {SEED}, fitted to {', '.join(tables)}.\n"
        '#include "fingerpost/schemes/neurotrie/learned_weights.hpp"\n\n'
        "namespace fingerpost::neurotrie::weights {\n\n// clang-format off\n"
        f"constinit const double value[prices][4] = {{\n{rows(logs, '')}}};\n"
    )
    for name, layer in zip(names, network.layers):
        text += f"\nconstinit const float {name} = {{\n{rows(layer, 'f')}}};\n"
    return text + "// clang-format on\n\n} // namespace fingerpost::neurotrie::weights\n"


def main() -> None:
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", type=Path, help="where the numbers go as C++")
    parser.add_argument("tables", nargs="+", type=Path, help="what it is fitted to; after `--`, compared on")
    chosen = parser.parse_args(sys.argv[1:cut])
    value, network = fit([read_prefixes(path) for path in chosen.tables])
    if chosen.write:
        chosen.write.write_text(as_cpp(value, network, [path.name.split(".")[0] for path in chosen.tables]))
    for path in sys.argv[cut + 1 :]:
        compare(Path(path).name, Trie(read_prefixes(Path(path))), value, network)


if __name__ == "__main__":
    main()
