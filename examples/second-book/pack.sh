# pack.sh PROGRAM LEVEL < INSTANCE: what the program makes of it. An answer is text, hence base64.
"$@" | base64 -w 0
