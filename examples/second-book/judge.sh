# judge.sh INSTANCE ANSWER: unpacks the answer, compares it with the instance, and tells the sizes.
packed=$(mktemp) && trap 'rm -f "$packed"' EXIT
base64 -d <"$2" >"$packed"
for program in gzip bzip2 xz zstd; do
    if "$program" -dc <"$packed" 2>/dev/null | cmp -s - "$1"; then
        echo "$(wc -c <"$1") $(wc -c <"$packed")" |
            awk '{
                grows = 100 * $2 / $1 - 100
                printf "{\"score\": %d, \"measures\": {\"saved\": %.6f, \"bits\": %.6f, \"grows\": %.6f}}\n", $2, -grows, 8 * $2 / $1, grows
            }'
        exit
    fi
done
echo '{"wrong": "no program makes the instance of it again"}'
