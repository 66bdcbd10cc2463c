# words.sh INSTANCE ANSWER: counts the words of the instance without awk.
words=$(LC_ALL=C tr -cs A-Za-z '\n' <"$1" | LC_ALL=C sort -u | grep -c .)
[ "$words" = "$(cat "$2")" ] && echo '{"score": 1}' || echo "{\"wrong\": \"there are $words words\"}"
