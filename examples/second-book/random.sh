# random.sh SEED: a megabyte of random bytes.
awk -v seed="$1" 'BEGIN {
    srand(seed)
    split("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", letter, "")
    for (i = 0; i < 1333332; i++) printf "%s", letter[int(64 * rand()) + 1]
}' | base64 -d
