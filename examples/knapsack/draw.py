"""Prints a picture of an answer as SVG: a bar for each item, as wide as its weight and as high as its value for each unit of
weight; taken ones are filled. Arguments: files of the instance and the answer."""
import sys

with open(sys.argv[1]) as instance:
    capacity, *items = [tuple(map(int, line.split())) for line in instance]
with open(sys.argv[2]) as answer:
    taken = set(map(int, answer.read().split()))
width = sum(weight for weight, _ in items)
highest = max(value / weight for weight, value in items)
bars, x = [], 0
for place in sorted(range(len(items)), key=lambda place: -items[place][1] / items[place][0]):
    weight, value = items[place]
    height = 100 * value / weight / highest
    colour = "#0b7285" if place in taken else "#ced4da"
    bars.append(f'<rect x="{x}" y="{100 - height:.1f}" width="{weight}" height="{height:.1f}" fill="{colour}" stroke="#fff"/>')
    x += weight
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 100" width="480" height="160" preserveAspectRatio="none">')
print(*bars, "</svg>", sep="\n")
