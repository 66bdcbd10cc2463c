"""Asks at even distances."""
questions = int(input())
for question in range(questions):
    print(10_000 * question // questions, flush=True)
    input()
