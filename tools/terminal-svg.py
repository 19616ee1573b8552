#!/usr/bin/env python3
"""Draws what a command printed as an SVG that looks like a terminal.

    docker run … winnow explain … | tools/terminal-svg.py 'winnow explain …' >docs/explain.svg

The first argument is the command to show above the output. Lines longer than 80 columns widen the picture.
"""
import sys
from xml.sax.saxutils import escape

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SIZE, ADVANCE, LINE, MARGIN = 13, 7.83, 18, 16


def colour(line, first):
    if first:
        return "#f0f6fc"
    if line.startswith("* "):
        return "#7ee787"
    if line.lstrip().startswith(("NODE ", "BalancedResource")):
        return "#79c0ff"
    return "#c9d1d9"


def svg(command, output):
    lines = ["$ " + command] + output
    columns = max(80, *(len(line) for line in lines))
    width, height = round(columns * ADVANCE + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img">',
           f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
           f'<g font-family="{FONT}" font-size="{SIZE}">']
    for number, line in enumerate(lines):
        if not line:
            continue
        y = MARGIN + (number + 1) * LINE - 5
        # Chromium takes xml:space of a text alone, and not from what is around it.
        out.append(f'<text xml:space="preserve" x="{MARGIN}" y="{y}" textLength="{len(line) * ADVANCE:.1f}" '
                   f'fill="{colour(line, number == 0)}">{escape(line)}</text>')
    return "\n".join(out + ["</g>", "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("terminal-svg: expected one argument, the command to show\n" + __doc__)
    print(svg(sys.argv[1], [line.rstrip() for line in sys.stdin.read().splitlines()]), end="")
