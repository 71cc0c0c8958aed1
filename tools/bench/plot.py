# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""A plot of bandwidth and latency over message size, both axes logarithmic, as SVG
without any library. Called by report."""
import math

WIDTH, HEIGHT = 520, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 44
COLOURS = {"write": "#1f77b4", "read": "#2ca02c", "send": "#d62728", "memcpy": "#777777"}
DASHES = {"shca0": "", "rxe0": "6 4", "cpu": "2 3"}
NAMES = {"shca0": "shca", "rxe0": "rdma_rxe", "cpu": ""}


class Axes:
    """Maps (size, value) into one panel; the limits are whole decades."""

    def __init__(self, x0, title, unit, curves):
        points = [p for _, _, curve in curves for p in curve]
        self.x0, self.title, self.unit, self.curves = x0, title, unit, curves
        self.xlow, self.xhigh = (f(math.log2(x) for x, _ in points) for f in (min, max))
        self.ylow = math.floor(min(math.log10(y) for _, y in points))
        self.yhigh = math.ceil(max(math.log10(y) for _, y in points) + 1e-9)
        self.xhigh = max(self.xhigh, self.xlow + 1)
        self.yhigh = max(self.yhigh, self.ylow + 1)

    def x(self, size):
        span = WIDTH - LEFT - RIGHT
        return self.x0 + LEFT + span * (math.log2(size) - self.xlow) / (self.xhigh - self.xlow)

    def y(self, value):
        span = HEIGHT - TOP - BOTTOM
        return TOP + span * (self.yhigh - math.log10(value)) / (self.yhigh - self.ylow)

    def draw(self):
        out = [text(self.x0 + WIDTH / 2, 18, self.title, "middle", 14)]
        for decade in range(self.ylow, self.yhigh + 1):
            y = self.y(10 ** decade)
            out.append(f'<line x1="{self.x0 + LEFT}" x2="{self.x0 + WIDTH - RIGHT}" '
                       f'y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            out.append(text(self.x0 + LEFT - 6, y + 4, f"{10.0 ** decade:g}", "end"))
        for size in sorted({s for _, _, curve in self.curves for s, _ in curve}):
            out.append(text(self.x(size), HEIGHT - BOTTOM + 16, bytes_name(size), "middle"))
        out.append(text(self.x0 + LEFT, TOP - 4, self.unit, "end"))
        for name, device, curve in self.curves:
            path = " ".join(f"{self.x(s):.1f},{self.y(v):.1f}" for s, v in curve)
            out.append(f'<polyline points="{path}" fill="none" stroke-width="2" '
                       f'stroke="{COLOURS[name]}" stroke-dasharray="{DASHES[device]}"/>')
        return out


def text(x, y, words, anchor, size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-family="sans-serif">{words}</text>')


def bytes_name(size):
    for unit, scale in (("M", 1 << 20), ("K", 1 << 10)):
        if size >= scale:
            return f"{size // scale}{unit}"
    return str(size)


def curves_of(table, suffix):
    """[(verb, device, [(size, value)])] with points in order of size."""
    curves = []
    for device in ("rxe0", "shca0"):
        for verb in ("write", "read", "send"):
            points = sorted((k[2], v) for k, v in table.get(device, {}).items()
                            if k[:2] == ("poll", verb + suffix) and v > 0)
            if points:
                curves.append((verb, device, points))
    return curves


def legend(curves):
    out, x = [], LEFT
    for name, device, _ in curves:
        out.append(f'<line x1="{x}" x2="{x + 26}" y1="{HEIGHT + 2}" y2="{HEIGHT + 2}" '
                   f'stroke-width="2" stroke="{COLOURS[name]}" '
                   f'stroke-dasharray="{DASHES[device]}"/>')
        out.append(text(x + 30, HEIGHT + 6, f"{NAMES[device]} {name}", "start"))
        x += 130
    return out


def write_plot(path, table):
    bandwidth, latency = curves_of(table, "_bw"), curves_of(table, "_lat")
    copies = sorted((k[2], v) for k, v in table.get("cpu", {}).items() if k[1] == "memcpy")
    if copies and bandwidth:
        bandwidth.append(("memcpy", "cpu", copies))
    panels = [Axes(0, "Bandwidth over message size", "MB/s", bandwidth)] if bandwidth else []
    if latency:
        panels.append(Axes(WIDTH, "Typical latency over message size", "us", latency))
    body = [line for panel in panels for line in panel.draw()] + legend(bandwidth)
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" '
                   f'height="{HEIGHT + 20}"><rect width="100%" height="100%" fill="white"/>'
                   + "\n".join(body) + "</svg>\n")
