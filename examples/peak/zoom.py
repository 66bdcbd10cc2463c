"""Asks at even distances with half of the questions, then on both sides of the best place, nearer each time."""
questions = int(input())


def ask(place):
    print(min(max(place, 0), 9999), flush=True)
    return int(input()), place


first = questions // 2
best = max(ask(10_000 * question // first) for question in range(first))
step = 10_000 // first // 2
for _ in range((questions - first) // 2):
    best = max(best, ask(best[1] - step), ask(best[1] + step))
    step = max(step // 2, 1)
